//! The job of the peer, as `NAME=VALUE` arguments, and the files that it reads.
use crate::Result;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;

/// Number of documents that are read before they are added together, so that reading is not measured.
pub const BATCH: usize = 500;

pub struct Job {
    values: HashMap<String, String>,
}

impl Job {
    pub fn from_arguments(arguments: impl Iterator<Item = String>) -> Job {
        let pair = |argument: String| {
            argument
                .split_once('=')
                .map(|(name, value)| (name.to_string(), value.to_string()))
        };
        Job {
            values: arguments.filter_map(pair).collect(),
        }
    }

    pub fn text(&self, name: &str) -> Result<&str> {
        Ok(self
            .values
            .get(name)
            .ok_or_else(|| format!("{name} is missing"))?)
    }

    pub fn number(&self, name: &str) -> Result<f64> {
        Ok(self.text(name)?.parse()?)
    }

    pub fn is(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| value == "true")
    }

    /// A folder with this name in the peer's own folder.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        Ok(PathBuf::from(self.text("folder")?).join(name))
    }

    pub fn lines(&self, name: &str) -> Result<Lines<BufReader<File>>> {
        Ok(BufReader::with_capacity(1 << 20, File::open(self.text(name)?)?).lines())
    }

    /// The queries: kind, and the text after the tab.
    pub fn queries(&self) -> Result<Vec<(String, String)>> {
        let mut queries = Vec::new();
        for line in self.lines("queries")? {
            if let Some((kind, asked)) = line?.split_once('\t') {
                queries.push((kind.to_string(), asked.to_string()));
            }
        }
        Ok(queries)
    }
}
