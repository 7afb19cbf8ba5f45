//! Learning from several datasets, each left out in turn.

use std::path::Path;

use serde_json::Value;
use testdata::{are_fetched, tool_path};

use super::Workspace;

const LIST: &str = "\
[[dataset]]
name = \"rated\"
ratings = \"rated.csv\"
human = [\"person\"]

[[dataset]]
name = \"means\"
ratings = \"means.csv\"
map = [\"source=orig\", \"output=simp\", \"system=by\", \"rating=fluency\", \"rating=meaning\"]
references = \"references\"

[[dataset]]
name = \"compared\"
comparisons = \"compared.csv\"
human = [\"long\", \"short\"]
";

/// The path of the list of words that features need, if it is fetched.
fn frequencies() -> Option<String> {
    let fetched = Path::new("frequencies").join(learn::metric::FREQUENCIES_FILE);
    let path = tool_path("RANKRATE_FREQUENCIES", fetched);
    are_fetched(&[&path]).then(|| path.display().to_string())
}

/// A source and its outputs, each of which leaves out one word more.
fn texts(at: usize) -> (String, Vec<String>) {
    let words = "the old grey ships that sank near several rocky islands carried expensive copper";
    let words: Vec<&str> = words.split(' ').collect();
    let turned = [&words[at..], &words[..at]].concat();
    let output = |removed: usize| format!("{}.", turned[..turned.len() - removed].join(" "));
    (output(0), (0..7).map(output).collect())
}

/// Three datasets in which outputs that keep more words are liked better: two raters with scales of their own, means of
/// two dimensions, and comparisons.
fn workspace_with_datasets() -> Workspace {
    let workspace = Workspace::new();
    let mut rated = "source,output,system,rater,rating\n".to_owned();
    let mut means = "orig,simp,by,fluency,meaning\n".to_owned();
    let mut compared = "source,rater,system_a,system_b,output_a,output_b,outcome\n".to_owned();

    for at in 0..10 {
        let (source, outputs) = texts(at);
        for (system, output) in outputs.iter().enumerate() {
            let name = if system == 2 { "person" } else { "machine" };
            for (rater, score) in [(1, 90 - 10 * system), (2, 50 - system)] {
                rated += &format!("{source},{output},{name}{system},{rater},{score}\n")
                    .replace("person2", "person");
            }
            let (fluency, meaning) = (50 - 4 * system, 48 - 5 * system);
            means += &format!(
                "{source},{output},{system},{}.{},{}.{}\n",
                fluency / 10,
                fluency % 10,
                meaning / 10,
                meaning % 10
            );
        }
        compared += &format!("{source},1,long,short,{},{},long\n", outputs[1], outputs[5]);
    }

    workspace.write("rated.csv", &rated);
    workspace.write("means.csv", &means);
    workspace.write("compared.csv", &compared);
    workspace.write("list.toml", LIST);

    std::fs::create_dir(workspace.folder.path().join("references")).expect("it can be made");
    let sources: Vec<String> = (0..10).map(|at| texts(at).0).collect();
    let reference = |source: &String| source.replace("expensive ", "");
    workspace.write("references/test.src", &sources.join("\n"));
    let references: Vec<String> = sources.iter().map(reference).collect();
    workspace.write("references/test.dst", &references.join("\n"));
    workspace
}

/// The figures of a metric on a dataset of the report.
fn figures<'a>(report: &'a Value, dataset: &str, metric: &str) -> &'a Value {
    let find = |list: &'a Value, key: &str, name: &str| {
        let mut items = list.as_array().expect("a list").iter();
        items
            .find(|item| item[key] == name)
            .unwrap_or_else(|| panic!("{name} is in {list}"))
    };
    let dataset = find(&report["left_out"], "name", dataset);
    find(&dataset["metrics"], "metric", metric)
}

#[test]
fn each_dataset_is_left_out_and_judged_beside_baselines() {
    let Some(frequencies) = frequencies() else {
        return;
    };
    let workspace = workspace_with_datasets();
    let command = format!(
        "train --datasets @list.toml --leave-one-dataset-out --without-encoder --folds 2 --bootstrap 50 \
         --frequencies {frequencies}"
    );
    let report = workspace.value(&command);

    let value = |dataset, metric, figure: &str| figures(&report, dataset, metric)[figure].clone();
    for dataset in ["rated", "means", "compared"] {
        let tau = value(dataset, "learned-free", "tau");
        assert!(
            tau["value"].as_f64().is_some_and(|tau| tau > 0.5),
            "{dataset}: {tau}"
        );
        let [low, high] = [0, 1].map(|end| tau["ci"][end].as_f64().expect("an interval"));
        assert!(low <= high, "{dataset}: {tau}");
        // Shorter outputs are liked less here, and BLEU to the source falls with each word left out.
        assert_eq!(
            value(dataset, "compression (reversed)", "tau")["value"],
            -1.0
        );
        assert_eq!(value(dataset, "self-bleu (reversed)", "tau")["value"], -1.0);
    }

    // Ten sources of seven outputs: one of every two is better, and six of these pairs have the person's output.
    assert_eq!(value("rated", "learned-free", "tau")["count"], 210);
    assert_eq!(value("rated", "learned-free", "with_human")["count"], 60);
    assert_eq!(value("rated", "learned-free", "machines")["count"], 150);
    assert_eq!(value("means", "learned-free", "with_human")["count"], 0);
    assert_eq!(value("compared", "learned-free", "tau")["count"], 10);
    assert_eq!(value("compared", "learned-free", "hard")["count"], 10);
    assert_eq!(
        value("compared", "learned-free", "machines")["value"],
        Value::Null
    );

    // Only one dataset has references.
    assert!(value("means", "sari", "tau")["value"].is_number());
    assert_eq!(
        report["left_out"][0]["metrics"].as_array().map(Vec::len),
        Some(4)
    );
    assert_eq!(
        report["left_out"][1]["metrics"].as_array().map(Vec::len),
        Some(6)
    );

    let text = workspace.run(&command);
    let heading = text.lines().next();
    assert_eq!(heading, Some("rated: 70 outputs of 10 sources"));
    assert!(text.contains("fkgl (reversed)"), "{text}");
    assert!(text.contains("seeds 11 (parts) and 1 (training)"), "{text}");
}

#[test]
fn a_metric_learns_from_all_datasets() {
    let Some(frequencies) = frequencies() else {
        return;
    };
    let workspace = workspace_with_datasets();
    let report = workspace.value(&format!(
        "train --datasets @list.toml -o @metric --without-encoder --frequencies {frequencies}"
    ));

    // A source in three datasets counts in each.
    assert_eq!(
        (&report["sources"], &report["outputs"]),
        (&30.into(), &160.into())
    );

    let file = std::fs::read(workspace.folder.path().join("metric")).expect("written");
    let model = learn::metric::HybridModel::read(&file).expect("whole");
    assert_eq!(
        (model.card().sources.len(), model.table().outputs()),
        (30, 160)
    );
}

#[test]
fn what_is_wrong_with_a_list_of_datasets_is_said() {
    let workspace = workspace_with_datasets();
    let why = |list: &str, more: &str| {
        workspace.write("other.toml", list);
        workspace.error(&format!(
            "train --datasets @other.toml --leave-one-dataset-out --without-encoder {more}"
        ))
    };

    let one = "[[dataset]]\nname = \"a\"\nratings = \"rated.csv\"\n";
    let expected = [
        (String::new(), "lists no dataset"),
        (one.replace("ratings", "file"), "unknown field `file`"),
        (format!("{one}{one}"), "lists “a” twice"),
        (
            format!("{one}comparisons = \"compared.csv\"\n"),
            "either ratings or comparisons",
        ),
        (
            one.replace("rated.csv", "nowhere.csv"),
            "nowhere.csv cannot be opened",
        ),
        (
            format!("{one}human = [\"nobody\"]\n"),
            "names “nobody”, which wrote no output",
        ),
        (
            format!("{one}dimensions = [\"charm\"]\n"),
            "there is nothing on “charm”",
        ),
        (format!("{one}accept-similar = \"90%\"\n"), "no references"),
        (one.to_owned(), "one dataset is too few"),
        (
            one.replace("ratings", "comparisons"),
            "the dataset “a” was not read",
        ),
    ];

    for (list, reason) in expected {
        let error = why(&list, "");
        assert!(error.contains(reason), "{reason}: {error}");
    }

    let error = why(one, "--trainer cross-encoder");
    assert!(error.contains("--trainer hybrid"), "{error}");
    let error =
        workspace.error("train --datasets @list.toml --leave-one-dataset-out --from @metric");
    assert!(error.contains("leave --from out, or say none"), "{error}");
    let error = workspace
        .error("train --datasets @list.toml --leave-one-dataset-out -o @scores --checkpoint @work");
    assert!(error.contains("cannot be used with"), "{error}");
    let error = workspace.error("train --datasets @list.toml @rated.csv -o @metric");
    assert!(error.contains("cannot be used with"), "{error}");

    // Comparisons without their texts teach nothing.
    workspace.write(
        "bare.csv",
        "source,rater,system_a,system_b,outcome\ns,1,a,b,a\n",
    );
    let bare = one.replace("ratings = \"rated", "comparisons = \"bare");
    let error = why(&bare, "");
    assert!(error.contains("output_a and output_b"), "{error}");
}
