//! Is the server of PostgreSQL the one that is meant, and can nobody listen?
//!
//! By `sslmode`, as in PostgreSQL's own clients: `disable` asks for no TLS;
//! `prefer`, the default, takes it where it can be had and promises nothing;
//! `require` connects only to a server whose certificate is known to be its
//! own, which is what `verify-full` means elsewhere.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, Connection, Error, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How a failed handshake begins in words.
const HANDSHAKE_FAILED: &str = "error performing TLS handshake";

/// Why there is no session.
pub(super) enum NotConnected {
    /// In words, without secrets.
    Trust(String),
    /// What the server or the network said.
    Error(Error),
}

/// Connects, as the configuration's `sslmode` has it. `authority` is a file of
/// certificates to trust instead of those that the machine trusts.
pub(super) async fn connect(
    config: &Config,
    authority: Option<&Path>,
) -> Result<Client, NotConnected> {
    let is_required = match config.get_ssl_mode() {
        SslMode::Disable => return plain(config).await,
        SslMode::Prefer => false,
        _ => true,
    };
    let connector = match connector(authority) {
        Ok(connector) => connector,
        Err(why) if is_required || authority.is_some() => return Err(NotConnected::Trust(why)),
        Err(_) => return plain(config).await,
    };
    match config.connect(connector).await {
        Ok((client, connection)) => {
            drive(connection);
            Ok(client)
        }
        Err(error) if !is_required && error.to_string().starts_with(HANDSHAKE_FAILED) => {
            plain(config).await
        }
        Err(error) => Err(NotConnected::Error(error)),
    }
}

async fn plain(config: &Config) -> Result<Client, NotConnected> {
    let mut config = config.clone();
    config.ssl_mode(SslMode::Disable);
    let connected = config.connect(NoTls).await;
    let (client, connection) = connected.map_err(NotConnected::Error)?;
    drive(connection);
    Ok(client)
}

/// Lets the connection work until its client is gone; what ends it earlier is
/// told to the queries.
fn drive<S, T>(connection: Connection<S, T>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        let _ = connection.await;
    });
}

fn connector(authority: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let Some(file) = authority else {
        let trusted = MakeRustlsConnect::with_native_certs();
        let (connector, _) =
            trusted.map_err(|_| "this machine trusts no authority for certificates".to_owned())?;
        return Ok(connector);
    };
    let mut roots = RootCertStore::empty();
    let unreadable = |why: String| format!("{} holds no certificates: {why}", file.display());
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| unreadable(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| unreadable(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(unreadable("the file names none".to_owned()));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
