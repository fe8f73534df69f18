//! How is a story told with commands?
//!
//! The commands shown are the commands run: each line is parsed as if it had
//! been typed in the story's folder, with a store, settings and a clock of the
//! story's own.

mod folder;

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Parser;
use freshness_core::fit::Parameters;
use jiff::Timestamp;

use super::{Answer, Cli, Context, obey};
use crate::clock::Clock;
use crate::config::{
    CheckSettings, CollectSettings, CoverageSettings, DatasetRules, Format, MaintenanceRules,
    Renames, ScheduleSettings, Settings, SloSettings, Tools,
};
use crate::outputs::Output;

pub(super) use folder::Folder;

/// A story, its folder, and what its commands are given.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) folder: Folder,
    pub(super) context: Context,
    n_chapters: u8,
}

impl Story {
    /// Begins one as of an instant; only how it is shown is the user's.
    pub(super) fn begin(folder: Folder, now: Timestamp, user: &Settings) -> Story {
        let settings = Settings {
            config_file: None,
            store: folder.store(),
            now: Some(now),
            format: Format::Table,
            threads: user.threads,
            lock_timeout: user.lock_timeout,
            color: user.color,
            unicode: user.unicode,
            pictures: None,
            quiet: user.quiet,
            fit: Parameters::default(),
            check: CheckSettings::default(),
            coverage: CoverageSettings::default(),
            slo: SloSettings::default(),
            collect: CollectSettings::default(),
            schedule: ScheduleSettings::default(),
            connections: BTreeMap::new(),
            sources: BTreeMap::new(),
            rules: DatasetRules::default(),
            rules_typed: Vec::new(),
            maintenance: MaintenanceRules::default(),
            renames: Renames::default(),
            holidays: user.holidays.clone(),
            tools: Tools::default(),
            chosen: Vec::new(),
        };
        let context = Context {
            clock: Clock::new(settings.now),
            out: Output::new(&settings),
            unknown_variables: Vec::new(),
            settings,
        };
        Story {
            folder,
            context,
            n_chapters: 0,
        }
    }

    /// Says something.
    pub(super) fn say(&mut self, text: impl std::fmt::Display) -> anyhow::Result<()> {
        Ok(self.context.out.line(text)?)
    }

    /// The next chapter.
    pub(super) fn chapter(&mut self, title: &str) -> anyhow::Result<()> {
        self.n_chapters += 1;
        let title = format!("{}. {title}", self.n_chapters);
        let rule = if self.context.out.unicode { "─" } else { "-" };
        let rule = rule.repeat(78_usize.saturating_sub(title.len() + 1));
        self.say(format_args!("\n{title} {rule}"))?;
        self.say("")
    }

    /// Shows a command line and runs it.
    pub(super) fn follow(&mut self, line: &str) -> anyhow::Result<Answer> {
        self.say(format_args!("$ freshness {line}"))?;
        // What the command says on stderr belongs below the line.
        self.context.out.finish()?;
        let words = line.split(' ').map(|word| self.folder.word(word).into());
        let typed = std::iter::once(OsString::from("freshness")).chain(words);
        let Cli { flags: _, command } = Cli::try_parse_from(typed)?;
        let answer = obey(&command, &mut self.context)?;
        self.context.out.finish()?;
        Ok(answer)
    }

    /// … without what the command would say to do next: the story does that.
    pub(super) fn follow_quietly(&mut self, line: &str) -> anyhow::Result<Answer> {
        let quiet = Settings {
            quiet: true,
            ..self.context.settings.clone()
        };
        let out = std::mem::replace(&mut self.context.out, Output::new(&quiet));
        let answer = self.follow(line);
        self.context.out = out;
        answer
    }

    /// What an exit code says to a scheduler.
    pub(super) fn say_answer(&mut self, answer: Answer) -> anyhow::Result<()> {
        self.say(format_args!(
            "\n(exit code {}: {})",
            answer.exit_code(),
            match answer {
                Answer::Healthy => "no critical dataset is late",
                Answer::Late => "a critical dataset is late, so that a scheduler or CI can stop",
                Answer::CouldNotTell => "it could not be told",
            }
        ))
    }
}
