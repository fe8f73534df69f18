//! What does a person do on the page?

#![allow(dead_code, reason = "each test file uses a part of it")]

use crate::browser::{Browser, Page, Screen};
use crate::house::House;

/// A page of the house's console.
pub(crate) fn console(house: &House, browser: &Browser, screen: Screen) -> Page {
    house.run("report --out report").expect(0);
    let page = browser.page(screen);
    page.open(&house.path("report/console.html"));
    page
}

/// Opens a dataset by a click.
pub(crate) fn open_panel(page: &Page, selector: &str) {
    page.click(selector);
    page.wait(
        "document.querySelector('dialog').open && document.querySelector('.reason') !== null",
    );
}

/// Closes what is open, by a key.
pub(crate) fn close_panel(page: &Page) {
    page.press("Escape");
    page.wait("!document.querySelector('dialog').open && location.hash === ''");
}

/// What has the keyboard.
pub(crate) fn focused(page: &Page) -> String {
    page.text("document.activeElement.textContent")
}

/// Nothing hangs over the side.
#[track_caller]
pub(crate) fn check_fits(page: &Page) {
    let over = page.text(
        "[...document.querySelectorAll('body *')]
           .filter((it) => !it.parentElement.closest('.scroll') && it.getBoundingClientRect().right > innerWidth + 1)
           .map((it) => it.outerHTML.slice(0, 80)).slice(0, 5).join('\\n')",
    );
    assert_eq!(over, "");
}
