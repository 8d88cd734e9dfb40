//! What a failed call says of itself: google.rpc.ErrorInfo and RetryInfo in its status.

use std::{collections::BTreeMap, error::Error, fmt, time::Duration};

use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Why a whole call failed. Programs decide by reason; an empty one means that gRPC itself failed it.
pub struct Failure {
    pub status: String,
    pub message: String,
    pub reason: String,
    pub metadata: BTreeMap<String, String>,
    pub retry_after: Option<Duration>,
}

impl Failure {
    pub fn of(status: &Status) -> Self {
        let info = status
            .get_details_error_info()
            .filter(|info| info.domain == "whence");
        let (reason, metadata) = info.map_or_else(Default::default, |info| {
            (info.reason, info.metadata.into_iter().collect())
        });
        Self {
            status: name(code_of(status)),
            message: status.message().to_owned(),
            reason,
            metadata,
            retry_after: status
                .get_details_retry_info()
                .and_then(|info| info.retry_delay),
        }
    }

    /// Whether the same request may be sent again, if it changes nothing or has a request id.
    pub fn may_succeed_later(&self) -> bool {
        self.status == "UNAVAILABLE" || self.retry_after.is_some()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.status)?;
        if !self.reason.is_empty() {
            write!(f, " {}", self.reason)?;
        }
        if !self.metadata.is_empty() {
            let facts: Vec<_> = self
                .metadata
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            write!(f, " ({})", facts.join(", "))?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(after) = self.retry_after {
            write!(f, "; retry after {} ms", after.as_millis())?;
        }
        Ok(())
    }
}

/// The code of a status. A connection that ends while a call waits is UNKNOWN to tonic, and UNAVAILABLE to gRPC; only
/// a status that was made on this side has a source.
fn code_of(status: &Status) -> Code {
    match status.code() {
        Code::Unknown if status.source().is_some() => Code::Unavailable,
        code => code,
    }
}

/// The name of a status as gRPC writes it: INVALID_ARGUMENT.
fn name(code: Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
