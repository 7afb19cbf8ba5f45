use proptest::prelude::*;

use super::*;

#[test]
fn settings_that_make_no_step_are_named() {
    let outputs = WriteStep {
        becomes: WrittenUse::Outputs,
        system: "Writers".to_owned(),
        ..WriteStep::default()
    };
    let check = |change: &dyn Fn(&mut WriteStep)| {
        let mut step = outputs.clone();
        change(&mut step);
        step.check()
    };
    assert_eq!(WriteStep::default().check(), Ok(()));
    assert_eq!(check(&|_| {}), Ok(()));
    assert_eq!(
        check(&|step| step.system = " ".into()),
        Err(BadWriting::NoSystem)
    );
    assert_eq!(
        check(&|step| step.start = WritingStart::Output),
        Err(BadWriting::NoStartSystem)
    );
    let both = |name: &str| {
        check(&|step| {
            (step.start, step.start_system) = (WritingStart::Output, name.to_owned());
        })
    };
    assert_eq!(both("GPT"), Ok(()));
    assert_eq!(
        both("Writers"),
        Err(BadWriting::SameSystem("Writers".into()))
    );
    assert_eq!(both(&"x".repeat(201)), Err(BadWriting::LongName));
    assert_eq!(both("a\0b"), Err(BadWriting::NulInName));
    assert_eq!(
        check(&|step| step.least_words = Some(0)),
        Err(BadWriting::Words(0))
    );
    assert_eq!(
        check(&|step| (step.least_words, step.most_words) = (Some(9), Some(8))),
        Err(BadWriting::WordRange(9, 8))
    );
    assert_eq!(
        check(&|step| step.target_percent = Some(501)),
        Err(BadWriting::Percent(501))
    );
}

#[test]
fn limits_are_words() {
    let limits = |least_words, most_words, target_percent| WriteStep {
        least_words,
        most_words,
        target_percent,
        ..WriteStep::default()
    };
    for (step, expect) in [
        (limits(None, None, None), None),
        (limits(Some(10), Some(30), None), Some("10 to 30 words")),
        (limits(Some(10), None, None), Some("at least 10 words")),
        (
            limits(None, Some(30), Some(60)),
            Some("at most 30 words, about 60 % of the source's length"),
        ),
        (
            limits(None, None, Some(80)),
            Some("about 80 % of the source's length"),
        ),
    ] {
        assert_eq!(step.describe_limits().as_deref(), expect);
    }
    let step = limits(Some(2), Some(3), None);
    assert_eq!(
        [1, 2, 3, 4].map(|words| step.is_outside(words)),
        [true, false, false, true]
    );
}

#[test]
fn figures_are_those_of_the_metrics() {
    let source = "The committee announced its decision.";
    let figures = WrittenFigures::new(source, "  They decided.\n");
    assert_eq!(figures.words, 2);
    assert_eq!(figures.compression, Some(13.0 / 37.0));
    assert_eq!(figures.fkgl, Some(fkgl("They decided.")));
    let blank = WrittenFigures::new(source, " \n");
    assert_eq!(
        (blank.words, blank.compression, blank.fkgl),
        (0, Some(0.0), None)
    );
    assert_eq!(WrittenFigures::new("", "Text.").compression, None);
    assert_eq!(length_percent("", "Text."), None);
}

#[test]
fn a_text_is_bounded() {
    let longest = "x".repeat(WriteStep::LONGEST_TEXT);
    assert_eq!(WriteStep::check_text(&longest), Ok(()));
    assert_eq!(
        WriteStep::check_text(&(longest + "x")),
        Err(BadWrittenText::TooLong)
    );
    assert_eq!(WriteStep::check_text("a\0"), Err(BadWrittenText::Nul));
    assert_eq!(WriteStep::check_text(""), Ok(()));
}

proptest! {
    #[test]
    fn white_space_at_the_ends_changes_no_figure(text in "[a-zA-Z .,]{0,80}", before in "[ \n]{0,4}", after in "[ \n\t]{0,4}") {
        let padded = format!("{before}{text}{after}");
        let source = "A source of some words.";
        let figures = WrittenFigures::new(source, &padded);
        prop_assert_eq!(WrittenFigures::new(source, &text), figures);
        let percent = figures.compression.map(|compression| (compression * 100.0).round() as usize);
        prop_assert_eq!(length_percent(source, &padded), percent);
    }
}
