//! Sends a request again that may be sent again: a lookup, or a commit with a request id. Clients of other languages
//! leave lookups to a retry policy of the channel; tonic has none.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tonic::Status;

use crate::errors::Failure;

const ATTEMPTS: u32 = 5;
const LEAST_PAUSE: Duration = Duration::from_millis(10);
const MOST_PAUSE: Duration = Duration::from_secs(2);

/// Calls with the time that is left, at most five times, and waits as long as the server says.
pub async fn retrying<T>(
    deadline: Duration,
    mut call: impl AsyncFnMut(Duration) -> Result<T, Status>,
) -> Result<T, Status> {
    let end = Instant::now() + deadline;
    let mut attempt = 1;
    loop {
        let status = match call(end - Instant::now()).await {
            Ok(answer) => return Ok(answer),
            Err(status) => status,
        };
        if attempt == ATTEMPTS || !wait_to_retry(&Failure::of(&status), attempt, end).await {
            return Err(status);
        }
        attempt += 1;
    }
}

/// Waits before the next attempt; false if that can't help, or would be too late.
pub async fn wait_to_retry(failure: &Failure, attempt: u32, end: Instant) -> bool {
    let pause = pause_after(failure, attempt);
    if !failure.may_succeed_later() || Instant::now() + pause >= end {
        return false;
    }
    sleep(pause).await;
    true
}

/// As long as the server says or a little longer: who was refused together must not come back together.
pub fn pause_after(failure: &Failure, attempt: u32) -> Duration {
    if let Some(said) = failure.retry_after {
        return said.max(LEAST_PAUSE).mul_f64(1.0 + 0.5 * fastrand::f64());
    }
    let doubled = Duration::from_millis(200 << (attempt - 1).min(4));
    doubled.min(MOST_PAUSE).mul_f64(0.8 + 0.4 * fastrand::f64())
}
