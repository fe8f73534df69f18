//! Does the picture in the README show what the program prints?

mod house;
#[path = "picture/svg.rs"]
mod svg;

use house::House;
use snapbox::{assert_data_eq, file};

/// The part of the demo that is shown: what is late, and why one of them is.
fn excerpt(story: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for command in ["$ freshness check", "$ freshness explain proxy_list"] {
        let from = story.lines().skip_while(|&line| line != command);
        // To the next remark or chapter.
        let part = from.take_while(|line| !line.starts_with('(') && !line.contains("──"));
        lines.extend(part);
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// `scripts/daily picture` draws it anew.
#[test]
fn the_picture_in_the_readme_is_drawn_from_what_the_demo_prints() {
    let story = House::empty().run("demo --color always").expect(0).stdout;
    let picture = svg::draw(excerpt(&story));
    assert_data_eq!(picture, file!["../../../docs/images/demo.svg"].raw());
}
