//! Is this text one question?
//!
//! A query of the user's own is run as it is written, by a login of the user's
//! own. What keeps it from changing anything is the session, which only reads;
//! this look at the text catches slips before any database hears of them, and
//! second statements, which some drivers would run too.

use std::fmt;

/// How a question may begin.
const BEGINNINGS: [&str; 7] = [
    "select", "with", "from", "values", "table", "show", "describe",
];

/// Stands for an instant, as a quoted text that every database takes for one.
pub(in crate::sources) const SINCE: &str = "{since}";

/// What opens a text or a name. (Texts in dollars may hold a whole query for
/// another database, with quotes of its own.)
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// Why a text is not one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoQuestion {
    /// There is nothing but space and comments.
    Empty,
    /// It begins as no question does.
    Beginning,
    /// After its end comes another statement.
    Second,
    /// A quote or a comment is opened and never closed.
    Unclosed,
    /// `{since}` stands in quotes, and brings its own.
    QuotedSince,
}

impl fmt::Display for NoQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoQuestion::Empty => "the query is empty",
            NoQuestion::Beginning => "not a query: it must begin with SELECT, WITH, FROM, VALUES, TABLE, SHOW or DESCRIBE",
            NoQuestion::Second => "more than one statement",
            NoQuestion::Unclosed => "a quote or a comment is never closed",
            NoQuestion::QuotedSince => {
                "{since} stands in quotes, and brings its own: write {since} alone, as in loaded_at > {since}"
            }
        })
    }
}

/// The text without the `;` that may end it, if it is one question.
pub fn one_question(sql: &str) -> Result<&str, NoQuestion> {
    let mut at = 0;
    let mut begins = None;
    let mut ends = None;
    while at < sql.len() {
        let rest = &sql[at..];
        let next = token(rest).ok_or(NoQuestion::Unclosed)?;
        match next {
            Token::Nothing(n) => at += n,
            Token::End => {
                ends.get_or_insert(at);
                at += 1;
            }
            Token::Words(n) => {
                if ends.is_some() {
                    return Err(NoQuestion::Second);
                }
                if rest.starts_with(QUOTES) && rest[..n].contains(SINCE) {
                    return Err(NoQuestion::QuotedSince);
                }
                begins.get_or_insert(at);
                at += n;
            }
        }
    }
    let Some(begins) = begins else {
        return Err(NoQuestion::Empty);
    };
    let first: String = sql[begins..]
        .trim_start_matches('(')
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    match BEGINNINGS.contains(&first.to_ascii_lowercase().as_str()) {
        true => Ok(sql[..ends.unwrap_or(sql.len())].trim_end()),
        false => Err(NoQuestion::Beginning),
    }
}

enum Token {
    /// Space or a comment, so many bytes.
    Nothing(usize),
    /// A `;`.
    End,
    /// Anything else, so many bytes.
    Words(usize),
}

/// What a text begins with; `None` if it is never closed.
fn token(rest: &str) -> Option<Token> {
    let after = |opened: usize, close: &str| {
        let closed = rest.get(opened..)?.find(close)?;
        Some(opened + closed + close.len())
    };
    let first = rest.chars().next()?;
    Some(match first {
        ';' => Token::End,
        c if c.is_whitespace() => Token::Nothing(c.len_utf8()),
        '-' if rest.starts_with("--") => Token::Nothing(rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => Token::Nothing(after(2, "*/")?),
        // A doubled quote is the end of one and the beginning of the next.
        '\'' => Token::Words(after(1, "'")?),
        '"' => Token::Words(after(1, "\"")?),
        '`' => Token::Words(after(1, "`")?),
        '$' => match dollar_quote(rest) {
            Some(quote) => Token::Words(after(quote.len(), quote)?),
            None => Token::Words(1),
        },
        c => Token::Words(c.len_utf8()),
    })
}

/// `$$` or `$name$`, which opens a text in PostgreSQL and its kin.
fn dollar_quote(rest: &str) -> Option<&str> {
    let name = rest[1..].find('$')?;
    let quote = &rest[..name + 2];
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let inside = &quote[1..quote.len() - 1];
    (inside.chars().all(is_name) && !inside.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql: &str, said: Result<&str, NoQuestion>) {
        assert_eq!(one_question(sql), said, "{sql}");
    }

    #[test]
    fn one_question_may_end_with_a_semicolon_and_comments() {
        check("select 1", Ok("select 1"));
        check("  Select 1 ;\n-- done;\n", Ok("  Select 1"));
        check(
            "-- loads\nWITH a AS (SELECT 1) SELECT * FROM a",
            Ok("-- loads\nWITH a AS (SELECT 1) SELECT * FROM a"),
        );
        check(
            "(select 1) union (select 2)",
            Ok("(select 1) union (select 2)"),
        );
        check(
            "select ';', \";\", `;`, $$;$$, $a$;$a$ /* ; */",
            Ok("select ';', \";\", `;`, $$;$$, $a$;$a$ /* ; */"),
        );
        check("select 'it''s; fine'", Ok("select 'it''s; fine'"));
        check("select $1", Ok("select $1"));
    }

    #[test]
    fn a_second_statement_and_what_is_no_question_are_refused() {
        check("select 1; drop table a", Err(NoQuestion::Second));
        check("delete from a", Err(NoQuestion::Beginning));
        check("explain select 1", Err(NoQuestion::Beginning));
        check("  -- nothing\n ;", Err(NoQuestion::Empty));
        check("", Err(NoQuestion::Empty));
        check("select 'a", Err(NoQuestion::Unclosed));
        check("select 1 /* a", Err(NoQuestion::Unclosed));
    }

    #[test]
    fn what_brings_its_own_quotes_is_refused_in_quotes() {
        for quoted in [
            "'{since}'",
            "timestamp '{since}'",
            "\"{since}\"",
            "`{since}`",
        ] {
            let sql = format!("select a from b where c > {quoted}");
            check(&sql, Err(NoQuestion::QuotedSince));
        }
        for alone in [
            "select a from b where c > {since} and d = 'x'",
            "select a from b where c > '{since_epoch}' -- not '{since}'",
            "select a from remote($$ select b from c where d > {since} $$)",
        ] {
            check(alone, Ok(alone));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in ".{0,60}") {
            let _ = one_question(&text);
        }
    }
}
