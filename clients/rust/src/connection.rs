//! A channel with TLS, and the stubs on it.

use std::{error::Error, fs, time::Duration};

use tokio::time::{Instant, timeout_at};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Response, Status};

use crate::pb::group_offsets_service_client::GroupOffsetsServiceClient;
use crate::pb::log_service_client::LogServiceClient;
use crate::pb::resolver_service_client::ResolverServiceClient;

/// Where the server is, and how TLS is spoken: the CA of the server if it is none that the system knows, and a
/// certificate of our own for mutual TLS, all PEM files. Any of them turns TLS on.
#[derive(Default)]
pub struct Target {
    pub server: String,
    pub tls: bool,
    pub tls_ca: Option<String>,
    pub tls_cert: Option<String>,
    pub tls_key: Option<String>,
}

impl Target {
    /// Makes a channel; it connects with the first call, and again when the connection was lost. It has one connection,
    /// to one of the addresses; to several servers whose names are known leads `Channel::balance_list`.
    pub fn open(&self) -> Result<Channel, Box<dyn Error>> {
        let own = match (&self.tls_cert, &self.tls_key) {
            (Some(cert), Some(key)) => Some(Identity::from_pem(fs::read(cert)?, fs::read(key)?)),
            (None, None) => None,
            _ => return Err("--tls-cert and --tls-key need each other".into()),
        };
        if !self.tls && self.tls_ca.is_none() && own.is_none() {
            return Ok(endpoint("http", &self.server)?.connect_lazy());
        }
        let mut tls = ClientTlsConfig::new();
        tls = match &self.tls_ca {
            Some(ca) => tls.ca_certificate(Certificate::from_pem(fs::read(ca)?)),
            None => tls.with_native_roots(),
        };
        if let Some(own) = own {
            tls = tls.identity(own);
        }
        Ok(endpoint("https", &self.server)?
            .tls_config(tls)?
            .connect_lazy())
    }
}

fn endpoint(scheme: &str, server: &str) -> Result<Endpoint, Box<dyn Error>> {
    let endpoint = Endpoint::from_shared(format!("{scheme}://{server}"))?;
    Ok(endpoint.http2_keep_alive_interval(Duration::from_secs(30)))
}

/// The stubs of all services. Clones share the connection.
#[derive(Clone)]
pub struct Stubs {
    pub resolver: ResolverServiceClient<Channel>,
    pub logs: LogServiceClient<Channel>,
    pub groups: GroupOffsetsServiceClient<Channel>,
}

impl Stubs {
    pub fn new(channel: &Channel) -> Self {
        const LIMIT: usize = 16 << 20;
        Self {
            resolver: ResolverServiceClient::new(channel.clone()).max_decoding_message_size(LIMIT),
            logs: LogServiceClient::new(channel.clone()).max_decoding_message_size(LIMIT),
            groups: GroupOffsetsServiceClient::new(channel.clone())
                .max_decoding_message_size(LIMIT),
        }
    }
}

/// A request that tells the server its deadline, so that work for nobody stops there.
pub fn timed<T>(message: T, deadline: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(deadline);
    request
}

/// Waits no longer than the deadline, whatever the server does. A server that gives up at the deadline cancels the
/// call; when that arrives first, it means the same.
pub async fn within<T>(
    deadline: Duration,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let end = Instant::now() + deadline;
    match timeout_at(end, call).await {
        Ok(Err(status)) if status.code() != Code::Cancelled || Instant::now() < end => Err(status),
        Ok(Ok(answer)) => Ok(answer),
        _ => Err(Status::deadline_exceeded("the deadline passed")),
    }
}

/// The same, for a call with one answer.
pub async fn unary<T>(
    deadline: Duration,
    call: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, Status> {
    within(deadline, call).await.map(Response::into_inner)
}
