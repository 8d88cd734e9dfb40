//! A client of Whence in a few small files: copy what you need. This one has the command line: window, commit, lag,
//! watch, health, conformance.

mod conformance;
mod connection;
mod errors;
mod jobs;
mod retry;

/// The messages and stubs of whence.v1, and their JSON form.
mod pb {
    #![allow(clippy::all)]
    tonic::include_proto!("whence.v1");
    include!(concat!(env!("OUT_DIR"), "/whence.v1.serde.rs"));
}

use std::{env, error::Error, process::ExitCode, time::Duration};

use tonic::transport::Channel;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use connection::{Stubs, Target, timed, unary};
use errors::Failure;
use jobs::{Jobs, Trouble};
use retry::retrying;

const USAGE: &str = "usage: whence-example COMMAND [OPTIONS] ARGUMENTS
  window TOPIC START END [--records N]
  commit GROUP TOPIC PARTITION NEXT_OFFSET [--expect OFFSET|none] [--request-id ID] [--metadata TEXT] [--rewind]
  lag GROUP
  watch TOPIC TIME
  health
  conformance FILE_OR_DIRECTORY...
--server HOST:PORT --source NAME --timeout SECONDS --tls --tls-ca FILE --tls-cert FILE --tls-key FILE";

struct Options {
    target: Target,
    source: String,
    timeout: Duration,
    records: i32,
    entry: pb::CommitEntry,
    request_id: Option<String>,
    arguments: Vec<String>,
}

fn parse(args: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let server = env::var("WHENCE_SERVER").unwrap_or_else(|_| "localhost:9000".to_owned());
    let mut options = Options {
        target: Target {
            server,
            ..Default::default()
        },
        source: String::new(),
        timeout: Duration::from_secs(10),
        records: 2,
        entry: pb::CommitEntry::default(),
        request_id: None,
        arguments: Vec::new(),
    };
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--server" => options.target.server = value()?,
            "--tls" => options.target.tls = true,
            "--tls-ca" => options.target.tls_ca = Some(value()?),
            "--tls-cert" => options.target.tls_cert = Some(value()?),
            "--tls-key" => options.target.tls_key = Some(value()?),
            "--source" => options.source = value()?,
            "--timeout" => options.timeout = Duration::try_from_secs_f64(value()?.parse()?)?,
            "--records" => options.records = value()?.parse()?,
            "--expect" => match value()?.as_str() {
                "none" => options.entry.expect_no_offset = true,
                offset => options.entry.expected_offset = Some(offset.parse()?),
            },
            "--request-id" => options.request_id = Some(value()?),
            "--metadata" => options.entry.metadata = value()?,
            "--rewind" => options.entry.allow_rewind = true,
            _ if arg.starts_with("--") => return Err(format!("no such option: {arg}").into()),
            _ => options.arguments.push(arg),
        }
    }
    Ok(options)
}

async fn run(options: Options) -> Result<ExitCode, Box<dyn Error>> {
    let channel = options.target.open()?;
    let stubs = Stubs::new(&channel);
    let words: Vec<&str> = options.arguments.iter().map(String::as_str).collect();
    if let ["conformance", _, ..] = words[..] {
        let passed = conformance::run(&stubs, &options.arguments[1..]).await?;
        return Ok(if passed {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    let jobs = Jobs {
        stubs,
        source: options.source,
        timeout: options.timeout,
    };
    let result = match words[..] {
        ["window", topic, start, end] => jobs.window(topic, start, end, options.records).await,
        ["commit", group, topic, partition, next_offset] => {
            let entry = pb::CommitEntry {
                topic: topic.to_owned(),
                partition: partition.parse()?,
                next_offset: Some(next_offset.parse()?),
                ..options.entry
            };
            jobs.commit(group, entry, options.request_id).await
        }
        ["lag", group] => jobs.lag(group).await,
        ["watch", topic, time] => jobs.watch(topic, time).await,
        ["health"] => health(&channel, options.timeout).await,
        _ => return Err(USAGE.into()),
    };
    Ok(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Refused) => ExitCode::FAILURE,
        Err(Trouble::Failed(status)) => {
            eprintln!("whence-example: {}", Failure::of(&status));
            ExitCode::FAILURE
        }
    })
}

async fn health(channel: &Channel, timeout: Duration) -> Result<(), Trouble> {
    let request = HealthCheckRequest {
        service: "whence.v1.ResolverService".to_owned(),
    };
    let response = retrying(timeout, async |left| {
        let mut health = HealthClient::new(channel.clone());
        unary(left, health.check(timed(request.clone(), left))).await
    })
    .await?;
    println!("{}", response.status().as_str_name());
    if response.status().as_str_name() == "SERVING" {
        Ok(())
    } else {
        Err(Trouble::Refused)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let result = match parse(env::args().skip(1)) {
        Ok(options) => run(options).await,
        Err(error) => Err(error),
    };
    result.unwrap_or_else(|error| {
        eprintln!("whence-example: {error}");
        ExitCode::from(2)
    })
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, time::Duration};

    use tonic::{Code, Status};
    use tonic_types::{ErrorDetails, StatusExt};

    use crate::{
        errors::Failure,
        retry::{pause_after, retrying},
    };

    fn overloaded() -> Status {
        let mut details = ErrorDetails::new();
        let facts = [("retry_after_ms".to_owned(), "20".to_owned())];
        details.set_error_info("OVERLOADED", "whence", facts);
        details.set_retry_info(Some(Duration::from_millis(20)));
        Status::with_error_details(Code::ResourceExhausted, "no", details)
    }

    #[test]
    fn a_failure_has_reason_metadata_and_retry() {
        let text = "RESOURCE_EXHAUSTED OVERLOADED (retry_after_ms=20): no; retry after 20 ms";
        assert_eq!(Failure::of(&overloaded()).to_string(), text);
    }

    #[test]
    fn a_failure_of_another_domain_has_no_reason() {
        let details = ErrorDetails::with_error_info("GONE", "proxy", HashMap::new());
        let status = Status::with_error_details(Code::NotFound, "no", details);
        let failure = Failure::of(&status);
        assert_eq!(
            (failure.reason.as_str(), failure.may_succeed_later()),
            ("", false)
        );
    }

    #[test]
    fn a_pause_is_as_long_as_the_server_says_or_half_as_long_again() {
        for (said, least) in [(0, 10), (1, 10), (1000, 1000)] {
            let mut details = ErrorDetails::new();
            details.set_retry_info(Some(Duration::from_millis(said)));
            let status = Status::with_error_details(Code::ResourceExhausted, "no", details);
            let failure = Failure::of(&status);
            let mut pauses: Vec<_> = (0..100).map(|_| pause_after(&failure, 1)).collect();
            pauses.sort();
            assert!(pauses[0] >= Duration::from_millis(least));
            assert!(pauses[99] <= Duration::from_millis(least * 3 / 2));
            assert_ne!(pauses[0], pauses[99]);
        }
    }

    #[tokio::test]
    async fn a_request_is_sent_again_where_that_can_help() {
        let too_large = || Status::resource_exhausted("no");
        for (name, failures, calls) in [
            ("answered", vec![], 1),
            (
                "overloaded, then answered",
                vec![overloaded(), overloaded()],
                3,
            ),
            ("away, then answered", vec![Status::unavailable("no")], 2),
            ("refused", vec![Status::invalid_argument("no")], 1),
            ("too large, without a RetryInfo", vec![too_large()], 1),
            ("overloaded for good", vec![overloaded(); 9], 5),
        ] {
            let mut made = 0;
            let result = retrying(Duration::from_secs(10), async |_| {
                made += 1;
                failures
                    .get(made - 1)
                    .map_or(Ok(()), |status| Err(status.clone()))
            })
            .await;
            assert_eq!(
                (made, result.is_ok()),
                (calls, calls > failures.len()),
                "{name}"
            );
        }
    }
}
