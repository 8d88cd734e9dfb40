//! Runs conformance cases: JSON to messages, through the stubs, and back. ../conformance/README.md has the format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{error::Error, fs, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::Instant;
use tonic::{Status, Streaming};

use crate::connection::{Stubs, timed, unary, within};
use crate::errors::Failure;
use crate::pb::*;

#[derive(Deserialize)]
struct Suite {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    rpc: String,
    #[serde(default)]
    request: Value,
    requests: Option<Vec<Value>>,
    deadline_ms: Option<u64>,
    response: Option<Value>,
    #[serde(default)]
    responses: Vec<Value>,
    status: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

/// Runs the files, and those in directories. Returns whether all cases passed.
pub async fn run(stubs: &Stubs, paths: &[String]) -> Result<bool, Box<dyn Error>> {
    let run = format!("rust-{:08x}", fastrand::u32(..));
    let (mut passed, mut total) = (0, 0);
    for path in files(paths)? {
        let text = fs::read_to_string(&path)?.replace("$RUN", &run);
        for case in serde_json::from_str::<Suite>(&text)?.cases {
            total += 1;
            let mut lines = Vec::new();
            for step in &case.steps {
                lines.extend(check(stubs, step).await?);
            }
            passed += usize::from(lines.is_empty());
            for line in lines {
                println!("{}: {}: {line}", path.display(), case.name);
            }
        }
    }
    println!("{passed} of {total} cases passed");
    Ok(passed == total)
}

fn files(paths: &[String]) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths.iter().map(Path::new) {
        if path.is_dir() {
            let inside: Result<Vec<_>, _> = fs::read_dir(path)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect();
            let mut inside = inside?;
            inside.retain(|file| file.extension().is_some_and(|name| name == "json"));
            inside.sort();
            all.extend(inside);
        } else {
            all.push(path.to_owned());
        }
    }
    Ok(all)
}

async fn check(stubs: &Stubs, step: &Step) -> Result<Vec<String>, Box<dyn Error>> {
    let mut got = Vec::new();
    let failure = match call(stubs, step, &mut got).await {
        Ok(()) => None,
        Err(Problem::Status(status)) => Some(Failure::of(&status)),
        Err(Problem::Case(error)) => return Err(error),
    };
    let rpc = &step.rpc;
    let wanted = match &step.response {
        Some(response) => vec![response.clone()],
        None => step.responses.clone(),
    };
    let mut lines = differences(rpc, &wanted.into(), &got.into());
    let status = failure.as_ref().map(|failure| &failure.status);
    lines.extend(differences(
        &format!("{rpc} status"),
        &json!(step.status),
        &json!(status),
    ));
    // Without a reason, either side may have ended the call.
    if step.status.is_none() || step.reason.is_some() {
        let reason = failure.as_ref().map(|failure| failure.reason.as_str());
        let facts = failure.as_ref().map(|failure| failure.metadata.clone());
        lines.extend(differences(
            &format!("{rpc} reason"),
            &json!(step.reason),
            &json!(reason),
        ));
        lines.extend(differences(
            &format!("{rpc} metadata"),
            &json!(step.metadata),
            &json!(facts.unwrap_or_default()),
        ));
    }
    Ok(lines)
}

/// A call failed, or a case is not one that this client can run.
enum Problem {
    Status(Status),
    Case(Box<dyn Error>),
}

impl From<Status> for Problem {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::Case(error.into())
    }
}

fn message<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    Ok(T::deserialize(value)?)
}

async fn call(stubs: &Stubs, step: &Step, got: &mut Vec<Value>) -> Result<(), Problem> {
    let limit = Duration::from_millis(step.deadline_ms.unwrap_or(10_000));
    let mut stubs = stubs.clone();
    macro_rules! one {
        ($stub:ident.$method:ident($request:ty)) => {{
            let request = timed(message::<$request>(&step.request)?, limit);
            let answer = unary(limit, stubs.$stub.$method(request)).await?;
            got.push(serde_json::to_value(answer)?);
        }};
    }
    match step.rpc.as_str() {
        "ResolverService/ResolveTimestamp" => {
            one!(resolver.resolve_timestamp(ResolveTimestampRequest))
        }
        "ResolverService/ResolveWindow" => one!(resolver.resolve_window(ResolveWindowRequest)),
        "ResolverService/ResolveOffset" => one!(resolver.resolve_offset(ResolveOffsetRequest)),
        "LogService/CreateTopic" => one!(logs.create_topic(CreateTopicRequest)),
        "LogService/Append" => one!(logs.append(AppendRequest)),
        "LogService/TrimLog" => one!(logs.trim_log(TrimLogRequest)),
        "LogService/Read" => one!(logs.read(ReadRequest)),
        "GroupOffsetsService/CommitOffset" => one!(groups.commit_offset(CommitOffsetRequest)),
        "GroupOffsetsService/FetchOffset" => one!(groups.fetch_offset(FetchOffsetRequest)),
        "GroupOffsetsService/GetGroupLag" => one!(groups.get_group_lag(GetGroupLagRequest)),
        "GroupOffsetsService/DeleteOffset" => one!(groups.delete_offset(DeleteOffsetRequest)),
        "ResolverService/WatchTimestamp" => {
            let end = Instant::now() + limit;
            let request = timed(message::<WatchTimestampRequest>(&step.request)?, limit);
            let stream = unary(limit, stubs.resolver.watch_timestamp(request)).await?;
            all(stream, end, got).await?;
        }
        "ResolverService/StreamResolveTimestamp" => {
            let end = Instant::now() + limit;
            let requests = step.requests.iter().flatten();
            let requests: Result<Vec<StreamResolveTimestampRequest>, _> =
                requests.map(message).collect();
            let request = timed(tokio_stream::iter(requests?), limit);
            let stream = unary(limit, stubs.resolver.stream_resolve_timestamp(request)).await?;
            all(stream, end, got).await?;
        }
        other => {
            let text = format!("{other} is not known to this client");
            return Err(Problem::Case(text.into()));
        }
    }
    Ok(())
}

async fn all<T: Serialize>(
    mut stream: Streaming<T>,
    end: Instant,
    got: &mut Vec<Value>,
) -> Result<(), Problem> {
    while let Some(answer) = within(end - Instant::now(), stream.message()).await? {
        got.push(serde_json::to_value(answer)?);
    }
    Ok(())
}

/// Tells where a JSON value differs. "$any" stands for any value that is there.
fn differences(path: &str, wanted: &Value, got: &Value) -> Vec<String> {
    match (wanted, got) {
        (Value::String(any), _) if any == "$any" => Vec::new(),
        (Value::Object(wanted), Value::Object(got)) => {
            let keys: BTreeSet<_> = wanted.keys().chain(got.keys()).collect();
            keys.into_iter()
                .flat_map(|key| match (wanted.get(key), got.get(key)) {
                    (Some(wanted), Some(got)) => differences(&format!("{path}.{key}"), wanted, got),
                    (Some(_), None) => vec![format!("{path}.{key} is missing")],
                    (_, got) => vec![format!("{path}.{key} should not be there: {}", json!(got))],
                })
                .collect()
        }
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => {
            let pairs = wanted.iter().zip(got).enumerate();
            pairs
                .flat_map(|(index, (a, b))| differences(&format!("{path}[{index}]"), a, b))
                .collect()
        }
        _ if wanted == got => Vec::new(),
        _ => vec![format!("{path} is {got} instead of {wanted}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        for (wanted, got, count) in [
            (
                json!({"a": "9007199254740993"}),
                json!({"a": "9007199254740993"}),
                0,
            ),
            (
                json!({"a": "9007199254740993"}),
                json!({"a": "9007199254740992"}),
                1,
            ),
            (json!({"a": "$any"}), json!({"a": 5}), 0),
            (json!({"a": "$any"}), json!({}), 1),
            (json!({}), json!({"a": "0"}), 1),
            (json!([1, 2]), json!([1]), 1),
            (json!([1, {"a": true}]), json!([2, {"a": false}]), 2),
            (json!("1"), json!(1), 1),
        ] {
            let lines = differences("value", &wanted, &got);
            assert_eq!(lines.len(), count, "{wanted} and {got}: {lines:?}");
        }
    }
}
