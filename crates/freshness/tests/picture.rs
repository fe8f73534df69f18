//! Do the pictures in the README show what the program prints?

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

/// The same command draws the chart: `freshness plot` on the demo's data.
#[test]
fn the_chart_in_the_readme_is_what_plot_draws_of_the_demo() {
    let house = House::empty();
    house.run("demo").expect(0);
    let ran = house.run(
        "plot nyc_summary --store freshness-demo/freshness.db --now 2022-09-06T12:00:00Z --height 520",
    );
    let picture = ran.expect(0).stdout;
    assert_data_eq!(picture, file!["../../../docs/images/plot.svg"].raw());
}
