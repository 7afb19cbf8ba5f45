use clap::Parser as _;
use serde_json::{Value, json};
use testdata::{golden, golden_path, needs_released_data, released_path};

use super::*;

#[derive(clap::Parser)]
struct ComprehensionCommand {
    #[command(flatten)]
    of: ComprehensionArgs,
}

fn report_json(arguments: &[&str]) -> Value {
    let args = ComprehensionCommand::parse_from([&["rc"], arguments].concat()).of;
    let (file, _) = args.read_file(args.file.as_deref().unwrap()).unwrap();
    to_json(&args, ComprehensionInput::from_file(file))
}

fn to_json(of: &ComprehensionArgs, input: ComprehensionInput) -> Value {
    let report = of.report(input).unwrap();
    serde_json::to_value(json::ComprehensionJson::from(&report)).unwrap()
}

/// The shape that programs read: eight figures a condition, and more only on request.
#[test]
fn a_file_gives_eight_figures_a_condition() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.csv");
    let file = "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n\
                1,Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n\
                1,Original,,q,,,,,,p,A\n\
                1,Original,,q,,,,,,r,unanswerable\n\
                1,Simple,It rained.,q,,,,,,p,B\n";
    std::fs::write(&path, file).unwrap();
    let path = path.to_str().unwrap();

    assert_eq!(
        report_json(&[path])["conditions"],
        json!({
            "Original": {"n": 2, "correct": 50.0, "B": 0.0, "C": 0.0, "D": 0.0,
                         "unanswerable": 50.0, "answerability": 50.0, "rank": 1},
            "Simple": {"n": 1, "correct": 0.0, "B": 100.0, "C": 0.0, "D": 0.0,
                       "unanswerable": 0.0, "answerability": 100.0, "rank": 2},
        })
    );

    let report = report_json(&[path, "--answerable-in", "Simple", "--stability", "1"]);
    assert_eq!(report["answerable_in"]["questions"], 1);
    assert_eq!(
        report["answerable_in"]["conditions"]["Original"]["answerability"],
        50.0
    );
    assert!(
        report["stability"][0]["undefined"]
            .as_str()
            .unwrap()
            .contains("too few")
    );
}

#[needs_released_data("rc")]
#[test]
fn ats_eval_as_the_golden_file_has_it() {
    let golden = golden("rc_eval.json");
    let file = released_path("rc/ats_eval_even_articles.csv");
    let report = report_json(&[
        file.to_str().unwrap(),
        "--answerable-in",
        "Original,Elementary",
    ]);

    let keys: Vec<_> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["answerable_in", "conditions"],
        "nothing is said of unnamed readers"
    );

    let expected = golden["expected"].as_object().unwrap();
    assert_eq!(
        report["conditions"].as_object().unwrap().len(),
        expected.len()
    );
    for (name, expected) in expected {
        let own = &report["conditions"][name];
        for key in ["n", "correct", "B", "C", "D", "answerability", "rank"] {
            let (found, expected) = (own[key].as_f64().unwrap(), expected[key].as_f64().unwrap());
            assert!(
                (found - expected).abs() < 1e-9,
                "{name} {key}: {found} for {expected}"
            );
        }
        let unanswerable = own["unanswerable"].as_f64().unwrap();
        assert!((unanswerable - expected["UA"].as_f64().unwrap()).abs() < 1e-9);
        let proper = expected["answerability_subset_proper"].as_f64().unwrap();
        let chosen = report["answerable_in"]["conditions"][name]["answerability"]
            .as_f64()
            .unwrap();
        assert!((chosen - proper).abs() < 1e-9, "{name}");
    }
}

/// The areas of the golden file, apart from differences in tokenisation, and metrics over its nine systems.
#[needs_released_data("rc")]
#[test]
fn ats_eval_s_support_and_metrics() {
    let golden = golden("rc_eval.json");
    let file = released_path("rc/ats_eval_even_articles.csv");
    let words = golden_path("stopwords.txt");
    let people = "Original,Elementary";
    let report = report_json(&[
        file.to_str().unwrap(),
        "--support",
        "--stop-words",
        words.to_str().unwrap(),
        "--people",
        people,
        "--original",
        "Original",
        "--references",
        "Elementary",
        "--items",
    ]);

    assert_eq!(report["support"]["stop_words"], "stopwords.txt");
    for (own, theirs) in [
        ("answer", "A_nb"),
        ("question_content", "Q_stop"),
        ("answer_content", "A_stop"),
        ("both_content", "QA_stop"),
    ] {
        let own = &report["support"]["variants"][own];
        let area = golden["roc_UA_vs_correct"][theirs]["auc"].as_f64().unwrap();
        assert!((own["auc"].as_f64().unwrap() - area).abs() < 0.002);
        assert_eq!(
            own["unanswerable"].as_u64().unwrap() + own["right"].as_u64().unwrap(),
            711
        );
    }

    let metrics = report["metrics"]["metrics"].as_object().unwrap();
    assert_eq!(metrics.len(), domain::metrics::TextMetric::ALL.len());
    for (name, of) in metrics {
        assert_eq!(of["conditions"], 9, "{name}");
        assert!(of["spearman"].as_f64().is_some_and(|rho| rho.abs() <= 1.0));
    }

    let answers = |key: &str| -> u64 {
        let items = report[key].as_array().unwrap();
        items.iter().map(|item| item["n"].as_u64().unwrap()).sum()
    };
    assert_eq!((answers("passages"), answers("questions")), (987, 987));
}

/// The same figures from a study into which the file was imported once or twice.
#[needs_released_data("rc")]
#[tokio::test]
async fn ats_eval_from_the_database() {
    let file = released_path("rc/ats_eval_even_articles.csv");
    let args = ComprehensionCommand::parse_from(["rc", file.to_str().unwrap()]).of;
    let (file, digest) = args.read_file(args.file.as_deref().unwrap()).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let url = store::sqlite_url(&folder.path().join("rc.sqlite"));
    let store = store::Store::open(&url).await.unwrap();
    let study = domain::ids::StudyId(clock::new_id());
    let new = store::NewStudy {
        id: study,
        slug: &"reading".parse().unwrap(),
        name: "Reading",
        settings: &domain::study::StudySettings::default(),
        guidelines: "",
        lead: None,
    };
    store.create_study(&new, 1).await.unwrap();
    store
        .set_comprehension_settings(study, &ComprehensionSettings::default(), 1)
        .await
        .unwrap();

    for answers in [987, 0] {
        let added = service::comprehension::bring_in(&store, study, &file, &digest, clock::CONTEXT);
        assert_eq!(added.await.unwrap().answers, answers);
    }

    let stored = ComprehensionInput {
        answers: store.comprehension_answers(study).await.unwrap(),
        passages: file.passages.clone(),
        scores: vec![],
        warnings: vec![],
    };
    let of_file = to_json(&args, ComprehensionInput::from_file(file));
    assert_eq!(to_json(&args, stored), of_file);
    store.close().await;
}
