//! What does an object store mean that does not give what it is asked for?
//!
//! The library's errors hold whole answers of servers and addresses that may be
//! signed, in the words of whoever wrote them. Here they become one line: who is
//! not let in, which bucket is not there, which address does not answer. Nothing
//! of a credential is in it.

use std::error::Error;

use object_store::client::{HttpError, HttpErrorKind};
use object_store::path;

use super::{PlaceError, StoreKind};

/// Words of a server that are shown.
const CHARS_MAX: usize = 300;

/// How the library begins what a server answered.
const STATUS: &str = "non-2xx status code: ";

/// What the stores call a bucket that is not there.
const NO_BUCKET: [&str; 2] = ["NoSuchBucket", "ContainerNotFound"];

/// Why a store cannot be asked: what the environment says of it is not enough,
/// or is not understood.
pub(super) fn of_settings(kind: StoreKind, error: &object_store::Error) -> PlaceError {
    // Words of JSON that was not understood quote it, and it is a credential.
    let words = match cause::<serde_json::Error>(error) {
        Some(json) => {
            let words = json.to_string();
            let quotes = words.starts_with("invalid ") || words.starts_with("duplicate ");
            match quotes {
                true => format!(
                    "credentials are of another form: line {}, column {}",
                    json.line(),
                    json.column()
                ),
                false => format!("credentials are of another form: {words}"),
            }
        }
        None => match error {
            object_store::Error::Generic { source, .. } => shortened(&source.to_string()),
            error => shortened(&error.to_string()),
        },
    };
    PlaceError::Settings(kind, words)
}

/// Why an object, or a list of them, was not got.
pub(super) fn of_request(kind: StoreKind, bucket: &str, error: &object_store::Error) -> PlaceError {
    if let Some(path::Error::EmptySegment { path } | path::Error::BadSegment { path, .. }) =
        cause(error)
    {
        return PlaceError::BadName(path.escape_debug().take(CHARS_MAX).collect());
    }
    let words = error.to_string();
    if let Some(http) = cause::<HttpError>(error) {
        let address = address(&words).unwrap_or_default();
        let why = match http.kind() {
            HttpErrorKind::Timeout => "no answer in time".to_owned(),
            _ => shortened(&innermost(http).to_string()),
        };
        return PlaceError::Unreachable(kind, format!("{address}: {why}"));
    }
    let answer = words.split_once(STATUS).map(|(_, answer)| answer);
    let code = answer.and_then(|answer| within(answer, "<Code>", "</Code>"));
    if code.is_some_and(|code| NO_BUCKET.contains(&code)) {
        return PlaceError::NoBucket {
            what: kind.bucket(),
            name: bucket.to_owned(),
        };
    }
    let told = match answer {
        Some(answer) => answered(answer, code),
        None => shortened(&words),
    };
    match error {
        object_store::Error::NotFound { .. } => PlaceError::NotFound,
        object_store::Error::PermissionDenied { .. }
        | object_store::Error::Unauthenticated { .. } => PlaceError::Denied(kind, told),
        _ if told.starts_with("401") || told.starts_with("403") => PlaceError::Denied(kind, told),
        // Whoever gives out tokens says so with other numbers.
        _ if told.starts_with('4') && words.contains(TOKEN) => PlaceError::Denied(kind, told),
        _ => PlaceError::Store(kind, told),
    }
}

/// How the library says that it was given no token.
const TOKEN: &str = "Error performing token request";

/// `403 Forbidden: AuthorizationFailure: the server's sentence`.
fn answered(answer: &str, code: Option<&str>) -> String {
    let (status, body) = answer.split_once(": ").unwrap_or((answer, ""));
    let message = within(body, "<Message>", "</Message>");
    let message = message.map(|message| message.lines().next().unwrap_or_default().trim());
    let said = match (code, message) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => body.trim().to_owned(),
    };
    match said.is_empty() {
        true => shortened(status),
        false => shortened(&format!("{status}: {said}")),
    }
}

fn within<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inner, _)| inner)
}

/// The address that was asked, in the library's words.
fn address(words: &str) -> Option<String> {
    let (_, rest) = words.rsplit_once("Error performing ")?;
    let address = rest.split(' ').nth(1)?;
    Some(shortened(address))
}

fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    causes(error).find_map(|error| error.downcast_ref())
}

fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The first words, without the queries of addresses, which may be signed, nor
/// the users in them.
fn shortened(text: &str) -> String {
    let mut words = String::new();
    let mut in_query = false;
    for c in text.chars() {
        in_query = match c {
            '?' => true,
            ' ' | ')' | '"' | '\n' | '\'' => false,
            _ => in_query,
        };
        if !in_query {
            words.push(if c.is_control() { ' ' } else { c });
        }
    }
    if let Some((scheme, rest)) = words.split_once("://") {
        let end = rest.find(['/', ' ']).unwrap_or(rest.len());
        if let Some(at) = rest[..end].rfind('@') {
            words = format!("{scheme}://{}", &rest[at + 1..]);
        }
    }
    match words.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_users_and_queries() {
        assert_eq!(
            shortened("GET https://me:hunter2@host/lake?sig=hunter2 in 3 s"),
            "GET https://host/lake in 3 s"
        );
        assert_eq!(shortened("mail me@host about it"), "mail me@host about it");
        assert_eq!(shortened(&"é".repeat(400)).chars().count(), 301);
    }

    #[test]
    fn of_an_answer_the_code_and_the_sentence_are_shown() {
        let answer = "403 Forbidden: <Error><Code>SignatureDoesNotMatch</Code>\
                      <Message>Not the one.\nRequestId:1</Message>\
                      <StringToSign>hunter2</StringToSign></Error>";
        let code = within(answer, "<Code>", "</Code>");
        assert_eq!(
            answered(answer, code),
            "403 Forbidden: SignatureDoesNotMatch: Not the one."
        );
        assert_eq!(answered("502 Bad Gateway: ", None), "502 Bad Gateway");
        assert_eq!(
            answered("400 Bad Request: {\"error\":\"invalid_grant\"}", None),
            "400 Bad Request: {\"error\":\"invalid_grant\"}"
        );
    }
}
