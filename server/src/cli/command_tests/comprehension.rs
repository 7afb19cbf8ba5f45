//! Reading comprehension.

use serde_json::Value;

use super::{Workspace, find_additions, format_json};

/// A workspace with the answers of two readers to one question on each of two passages.
fn workspace_with_answers() -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        "answers.csv",
        "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n\
         1,Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n\
         1,Original,,q,,,,,,p,A\n\
         1,Original,,q,,,,,,r,unanswerable\n\
         1,Simple,It rained.,q,,,,,,p,B\n\
         2,Original,A boat sank.,q,What sank?,a boat,a car,a stone,a tree,,\n\
         2,Original,,q,,,,,,p,A\n\
         2,Simple,It sank.,q,,,,,,r,unanswerable\n",
    );
    workspace
}

#[test]
fn conditions_of_a_file() {
    let workspace = workspace_with_answers();
    insta::assert_snapshot!(workspace.run("rc @answers.csv"), @r#"
    condition  n  correct   (Wilson)  (passages)      B     C     D     UA  answerability   (Wilson)  rank
    Original   3    66.67  20.8–93.9  50.0–100.0   0.00  0.00  0.00  33.33          66.67  20.8–93.9     1
    Simple     2     0.00   0.0–65.8     0.0–0.0  50.00  0.00  0.00  50.00          50.00   9.5–90.5     2
    n: answered questions. Percentages of n, in brackets the 95 % interval: of the answers as independent
    ones (Wilson), and of the accuracy over resampled passages. UA: unanswerable. rank: by accuracy, ties
    share the smallest. –: undefined.

    Cohen's κ on 1 questions with two readers: 0.000 on the five answers, 0.000 on right or not.
    ! Answer A of question q appears word for word in passage 1 in Original.
    ! Answer A of question q appears word for word in passage 2 in Original.
    "#);

    insta::assert_snapshot!(workspace.json("rc @answers.csv"), @r#"
    {
      "agreement": {"items":1,"kappa":0.0,"kappa_correct":0.0,"same":0.0},
      "conditions": {
        "Original": {
          "B": 0.0,
          "C": 0.0,
          "D": 0.0,
          "answerability": 66.666667,
          "correct": 66.666667,
          "n": 3,
          "rank": 1,
          "unanswerable": 33.333333
        },
        "Simple": {"B":50.0,"C":0.0,"D":0.0,"answerability":50.0,"correct":0.0,"n":2,"rank":2,"unanswerable":50.0}
      },
      "schema": "reading/1"
    }
    "#);
}

#[test]
fn everything_that_can_be_added() {
    let workspace = workspace_with_answers();
    let all = "--answerable-in Original --stability 1,2 --items --support --original Original";
    let plain = workspace.run("rc @answers.csv");
    let (head, tail) = plain.split_once("Cohen's κ").expect("there is a κ");
    let longer = workspace.run(&format!("rc @answers.csv {all}"));
    let additions = longer
        .strip_prefix(head)
        .and_then(|rest| rest.strip_suffix(tail)?.strip_suffix("Cohen's κ"))
        .expect("the same figures and more");
    insta::assert_snapshot!(additions.trim_end(), @r#"
    Answerability on the 1 questions that Original make answerable, of the answers to them:
    condition  n  answerability
    Original   1         100.00
    Simple     1           0.00

    Spearman's ρ of the ranking on random passages to the full one:
    passages  mean  5 %  95 %  draws
    –            –    –     –      –
    –            –    –     –      –

    Passages, the hardest first:
    passage  question  n  correct      B     C     D     UA
    1                  3    33.33  33.33  0.00  0.00  33.33
    2                  2    50.00   0.00  0.00  0.00  50.00

    Questions, the hardest first:
    passage  question  n  correct      B     C     D     UA
    1               q  3    33.33  33.33  0.00  0.00  33.33
    2               q  2    50.00   0.00  0.00  0.00  50.00

    Little support in the text as a predictor of “unanswerable” against the right answer; content words are those but English function words; the threshold is at the largest √(found·(1 − wrongly)):
    support of    words    AUC  at most  found  wrongly  UA  right
    question        all  0.500    0.333  1.000    1.000   2      2
    answer          all  0.750    0.000  0.500    0.000   2      2
    both            all  0.750    0.000  0.500    0.000   2      2
    question    content  0.500    0.500  1.000    1.000   2      2
    answer      content  0.750    0.000  0.500    0.000   2      2
    both        content  0.750    0.000  0.500    0.000   2      2

    Spearman’s ρ of mean scores and accuracy over conditions; the original is Original:
    metric           ρ  p  conditions
    compression      –  –           –
    copy-rate        –  –           –
    edit-distance    –  –           –
    fkgl (reversed)  –  –           –
    levenshtein      –  –           –
    self-bleu        –  –           –
    "#);

    let mut figures = workspace.value(&format!("rc @answers.csv {all}"));
    // Each passage has one question, so both lists have the same figures.
    let mut of_questions = figures["questions"].take();
    for question in of_questions.as_array_mut().expect("a list") {
        assert_eq!(question["question"].take(), "q");
    }
    let mut of_passages = figures["passages"].clone();
    for passage in of_passages.as_array_mut().expect("a list") {
        passage["question"] = Value::Null;
    }
    assert_eq!(of_questions, of_passages);

    let additions = find_additions(&figures, &workspace.value("rc @answers.csv"));
    insta::assert_snapshot!(format_json(&additions, 0), @r#"
    {
      "answerable_in": {
        "chosen": ["Original"],
        "conditions": {"Original":{"answerability":100.0,"n":1},"Simple":{"answerability":0.0,"n":1}},
        "denominator": "chosen",
        "questions": 1
      },
      "metrics": {
        "metrics": {
          "compression": {
            "direction": "neither",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          },
          "copy-rate": {
            "direction": "neither",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          },
          "edit-distance": {
            "direction": "neither",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          },
          "fkgl": {
            "direction": "lower-is-better",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          },
          "levenshtein": {
            "direction": "neither",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          },
          "self-bleu": {
            "direction": "neither",
            "spearman": null,
            "undefined": "1 values are too few, at least 3 are needed"
          }
        },
        "original": "Original",
        "references": []
      },
      "passages": [
        {
          "B": 33.333333,
          "C": 0.0,
          "D": 0.0,
          "answerability": 66.666667,
          "conditions": {
            "Original": {"B":0.0,"C":0.0,"D":0.0,"answerability":50.0,"correct":50.0,"n":2,"unanswerable":50.0},
            "Simple": {"B":100.0,"C":0.0,"D":0.0,"answerability":100.0,"correct":0.0,"n":1,"unanswerable":0.0}
          },
          "correct": 33.333333,
          "n": 3,
          "passage": "1",
          "unanswerable": 33.333333
        },
        {
          "B": 0.0,
          "C": 0.0,
          "D": 0.0,
          "answerability": 50.0,
          "conditions": {
            "Original": {"B":0.0,"C":0.0,"D":0.0,"answerability":100.0,"correct":100.0,"n":1,"unanswerable":0.0},
            "Simple": {"B":0.0,"C":0.0,"D":0.0,"answerability":0.0,"correct":0.0,"n":1,"unanswerable":100.0}
          },
          "correct": 50.0,
          "n": 2,
          "passage": "2",
          "unanswerable": 50.0
        }
      ],
      "questions": null,
      "stability": [
        {"mean":null,"undefined":"2 values are too few, at least 3 are needed"},
        {"mean":null,"undefined":"2 values are too few, at least 3 are needed"}
      ],
      "support": {
        "stop_words": "English function words",
        "variants": {
          "answer": {"auc":0.75,"fpr":0.0,"right":2,"threshold":0.0,"tpr":0.5,"unanswerable":2},
          "answer_content": {"auc":0.75,"fpr":0.0,"right":2,"threshold":0.0,"tpr":0.5,"unanswerable":2},
          "both": {"auc":0.75,"fpr":0.0,"right":2,"threshold":0.0,"tpr":0.5,"unanswerable":2},
          "both_content": {"auc":0.75,"fpr":0.0,"right":2,"threshold":0.0,"tpr":0.5,"unanswerable":2},
          "question": {"auc":0.5,"fpr":1.0,"right":2,"threshold":0.333333,"tpr":1.0,"unanswerable":2},
          "question_content": {"auc":0.5,"fpr":1.0,"right":2,"threshold":0.5,"tpr":1.0,"unanswerable":2}
        }
      }
    }
    "#);
}

#[test]
fn a_study_gets_the_answers_of_a_file() {
    let workspace = workspace_with_answers();
    insta::assert_snapshot!(workspace.run("study create reading"), @r#"
    reading  reading
    annotators for each source: 3
    category rule: tuned, threshold 0.7
    steps: Categorise, check edits, rank & rate
    way of working: steps
    hours until an unfinished source is given to someone else: 72
    dimensions: overall (0 to 100)
    "#);

    let figures = workspace.value("rc @answers.csv");
    assert_eq!(workspace.value("rc @answers.csv --study reading"), figures);
    assert_eq!(workspace.value("rc --study reading"), figures);
    insta::assert_snapshot!(workspace.error("rc @answers.csv --answerable-in Elementary"), @r#"“Elementary” is not a condition here: use some of Original, Simple"#);
}

/// Passages are drawn in the order of the material, whatever the order of the answers.
#[test]
fn a_file_and_its_study_have_the_same_intervals() {
    let workspace = Workspace::new();
    workspace.run("study create reading");
    for (study, step) in [("shuffled", 5), ("reversed", 11), ("in-order", 1)] {
        let head = "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n";
        let material = (0..12).map(|number| {
            format!("{number},Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n{number},Simple,It rained.,q,,,,,,,\n{number},Easy,Rain.,q,,,,,,,\n")
        });
        let answers = (0..36).map(|answer| {
            let (number, condition) = (
                answer * step % 12,
                ["Original", "Simple", "Easy"][answer / 12],
            );
            let choice = ["A", "A", "B", "A", "unanswerable"][number * (1 + answer / 12) % 5];
            format!("{number},{condition},,q,,,,,,p{},{choice}\n", number % 3)
        });

        let rows: String = material.chain(answers).collect();
        workspace.write("many.csv", &format!("{head}{rows}"));
        let of_study = format!("rc --study {study}");
        workspace.run(&format!("study create {study}"));
        workspace.value(&format!("rc @many.csv --study {study}"));

        for more in ["", " --stability 3,6"] {
            let lines = |text: String| -> Vec<String> {
                let lines = text.lines().filter(|line| !line.starts_with('!'));
                lines.map(str::to_owned).collect()
            };
            assert_eq!(
                lines(workspace.run(&format!("{of_study}{more}"))),
                lines(workspace.run(&format!("rc @many.csv{more}"))),
                "{study}{more}"
            );
        }
    }
}

/// Material can come before its answers.
#[test]
fn questions_can_be_imported_without_answers() {
    let workspace = Workspace::new();
    workspace.run("study create reading");
    workspace.write(
        "questions.csv",
        "passage,condition,text,question,question_text,a,b,c,d\n\
         1,Original,Rain fell.,q,What fell?,water,snow,hail,night\n\
         1,Simple,It rained.,q,,,,,\n",
    );

    let text = workspace.run("rc @questions.csv --study reading");
    assert!(
        text.contains("The study has the passages and questions of the file, and no answers yet."),
        "{text}"
    );

    let all = "--items --stability 2 --support --original Original --answerable-in Simple";
    let report = workspace.value(&format!("rc @questions.csv --study reading {all}"));
    assert_eq!(report["conditions"]["Simple"]["n"], 0, "{report}");
    for command in ["rc @questions.csv", "rc --study reading"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(workspace.error(command), @"there are no answers: there is nothing to compute");
        }
    }
}
