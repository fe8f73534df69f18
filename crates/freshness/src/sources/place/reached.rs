//! By what is an object store reached?
//!
//! By the variables that its own tools read, so that a machine on which they
//! work has to be told nothing more. The library knows most of them; what it
//! does not is put into its words here: the shorter names and the connection
//! string of Azure's command line, and the host that Google's libraries take
//! for an emulator.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{ObjectStore, RetryConfig};

use super::PlaceError;
use super::refusal;

/// Whose store it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// Amazon's S3, or what speaks its protocol.
    Amazon,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage and Data Lake Storage.
    Azure,
}

/// How often a request is sent again: a store that stays away for longer is
/// told, and asked again at the next look.
const RETRIES: usize = 3;
const RETRY_SECONDS: u64 = 30;

/// Where Microsoft's own endpoints are, unless a connection string says other.
const AZURE_SUFFIX: &str = "core.windows.net";

impl StoreKind {
    pub(super) fn of(scheme: &str) -> Option<StoreKind> {
        match scheme {
            "s3" | "s3a" => Some(StoreKind::Amazon),
            "gs" => Some(StoreKind::Google),
            "az" | "azure" | "adl" | "abfs" | "abfss" => Some(StoreKind::Azure),
            _ => None,
        }
    }

    /// What a store calls its outermost folders.
    pub(super) fn bucket(self) -> &'static str {
        match self {
            StoreKind::Amazon | StoreKind::Google => "bucket",
            StoreKind::Azure => "container",
        }
    }

    pub(super) fn hint(self) -> &'static str {
        match self {
            StoreKind::Amazon => {
                "S3 is reached by AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, \
                 AWS_REGION, AWS_ENDPOINT_URL"
            }
            StoreKind::Google => {
                "Google Cloud Storage is reached by GOOGLE_APPLICATION_CREDENTIALS or \
                 GOOGLE_SERVICE_ACCOUNT, a file, or by the account of the machine"
            }
            StoreKind::Azure => {
                "Azure is reached by AZURE_STORAGE_CONNECTION_STRING, or by \
                 AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, \
                 AZURE_STORAGE_SAS_TOKEN, or AZURE_CLIENT_ID, AZURE_CLIENT_SECRET and \
                 AZURE_TENANT_ID"
            }
        }
    }

    /// The bucket that a URL names.
    pub(super) fn open(
        self,
        url: &str,
        variables: &[(String, String)],
    ) -> Result<Arc<dyn ObjectStore>, PlaceError> {
        let built = match self {
            StoreKind::Amazon => amazon(url, variables),
            StoreKind::Google => google(url, variables),
            StoreKind::Azure => return azure(url, variables),
        };
        built.map_err(|error| refusal::of_settings(self, &error))
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StoreKind::Amazon => "S3",
            StoreKind::Google => "Google Cloud Storage",
            StoreKind::Azure => "Azure",
        })
    }
}

type Built = object_store::Result<Arc<dyn ObjectStore>>;

fn amazon(url: &str, variables: &[(String, String)]) -> Built {
    let mut builder = AmazonS3Builder::new().with_url(url).with_retry(retry());
    for (name, value) in of_family(variables, "AWS_") {
        if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
        // Who names an endpoint without TLS means it.
        if name.starts_with("aws_endpoint") && value.starts_with("http://") {
            builder = builder.with_allow_http(true);
        }
    }
    Ok(Arc::new(builder.build()?))
}

fn google(url: &str, variables: &[(String, String)]) -> Built {
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_url(url)
        .with_retry(retry());
    // Google's libraries show an emulator no credentials.
    if let Some(host) = value_of(variables, "STORAGE_EMULATOR_HOST") {
        let host = host.trim_end_matches('/');
        let base = match host.contains("://") {
            true => host.to_owned(),
            false => format!("http://{host}"),
        };
        builder = builder.with_base_url(&base).with_skip_signature(true);
    }
    for (name, value) in of_family(variables, "GOOGLE_") {
        if let Ok(key) = name.parse::<GoogleConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    Ok(Arc::new(builder.build()?))
}

fn azure(url: &str, variables: &[(String, String)]) -> Result<Arc<dyn ObjectStore>, PlaceError> {
    let mut settings = Vec::new();
    if let Some(text) = value_of(variables, "AZURE_STORAGE_CONNECTION_STRING") {
        settings = of_connection_string(text, account_of(url))
            .map_err(|words| PlaceError::Settings(StoreKind::Azure, words))?;
    }
    // As with Azure's command line, a connection string says it all.
    let said = settings
        .iter()
        .any(|(key, _)| *key == AzureConfigKey::AccountName);
    for (name, value) in of_family(variables, "AZURE_") {
        let key = match name.as_str() {
            "azure_storage_account" => Ok(AzureConfigKey::AccountName),
            "azure_storage_key" => Ok(AzureConfigKey::AccessKey),
            name => name.parse(),
        };
        match key {
            Ok(
                AzureConfigKey::AccountName | AzureConfigKey::AccessKey | AzureConfigKey::SasKey,
            ) if said => {}
            Ok(key) => settings.push((key, value.to_owned())),
            Err(_) => {}
        }
    }
    let mut builder = MicrosoftAzureBuilder::new()
        .with_url(url)
        .with_retry(retry());
    for (key, value) in settings {
        // Who names an endpoint without TLS means it.
        if key == AzureConfigKey::Endpoint && value.starts_with("http://") {
            builder = builder.with_allow_http(true);
        }
        builder = builder.with_config(key, value);
    }
    let built = builder.build();
    built.map_or_else(
        |error| Err(refusal::of_settings(StoreKind::Azure, &error)),
        |store| Ok(Arc::new(store) as _),
    )
}

/// The account in `abfss://CONTAINER@ACCOUNT.dfs.core.windows.net`.
fn account_of(url: &str) -> Option<&str> {
    let (_, host) = url.split_once('@')?;
    host.split('.').next()
}

/// What a connection string of Azure says. Its values are secret, so words of
/// what is wrong quote none.
fn of_connection_string(
    text: &str,
    account_asked: Option<&str>,
) -> Result<Vec<(AzureConfigKey, String)>, String> {
    let name = "AZURE_STORAGE_CONNECTION_STRING";
    let (mut protocol, mut suffix) = ("https", AZURE_SUFFIX);
    let (mut account, mut endpoint) = (None, None);
    let mut settings = Vec::new();
    for part in text
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let Some((key, value)) = part.split_once('=') else {
            return Err(format!("{name} is not made of KEY=VALUE; parts"));
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "defaultendpointsprotocol" => protocol = value,
            "endpointsuffix" => suffix = value,
            "accountname" => account = Some(value.to_owned()),
            "accountkey" => settings.push((AzureConfigKey::AccessKey, value.to_owned())),
            "sharedaccesssignature" => settings.push((AzureConfigKey::SasKey, value.to_owned())),
            "blobendpoint" => endpoint = Some(value.trim_end_matches('/').to_owned()),
            "usedevelopmentstorage" if value == "true" => {
                settings.push((AzureConfigKey::UseEmulator, "true".to_owned()));
            }
            // Endpoints of queues and tables, and what is yet to come.
            _ => {}
        }
    }
    // With a signature the name may stand in the endpoint only.
    let account = account.or_else(|| {
        let (_, host) = endpoint.as_deref()?.split_once("://")?;
        Some(host.split(['.', '/', ':']).next()?.to_owned())
    });
    if let (Some(account), Some(asked)) = (&account, account_asked)
        && account != asked
    {
        return Err(format!(
            "{name} is of the account {account}, the location of {asked}"
        ));
    }
    if let Some(account) = account {
        let default = (protocol, suffix) == ("https", AZURE_SUFFIX);
        if endpoint.is_none() && !default {
            endpoint = Some(format!("{protocol}://{account}.blob.{suffix}"));
        }
        settings.push((AzureConfigKey::AccountName, account));
    }
    settings.extend(endpoint.map(|endpoint| (AzureConfigKey::Endpoint, endpoint)));
    Ok(settings)
}

fn value_of<'a>(variables: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = variables.iter().find(|(own, _)| own == name);
    found.map(|(_, value)| value.as_str())
}

fn of_family<'a>(
    variables: &'a [(String, String)],
    prefix: &'a str,
) -> impl Iterator<Item = (String, &'a str)> {
    let own = variables
        .iter()
        .filter(move |(name, _)| name.starts_with(prefix));
    own.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
}

fn retry() -> RetryConfig {
    RetryConfig {
        max_retries: RETRIES,
        retry_timeout: Duration::from_secs(RETRY_SECONDS),
        ..RetryConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_connection_string(text: &str, url: &str) -> String {
        let found = of_connection_string(text, account_of(url));
        let words = |settings: Vec<(AzureConfigKey, String)>| {
            let lines = settings.iter().map(|(key, value)| {
                format!(
                    "{}={value}",
                    key.as_ref().trim_start_matches("azure_storage_")
                )
            });
            lines.collect::<Vec<_>>().join(" ")
        };
        found.map_or_else(|refused| refused, words)
    }

    #[test]
    fn a_connection_string_says_account_key_and_endpoint() {
        assert_eq!(
            check_connection_string(
                "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=a2V5==;\
                 EndpointSuffix=core.windows.net",
                "az://lake",
            ),
            "account_key=a2V5== account_name=shop"
        );
        assert_eq!(
            check_connection_string(
                "AccountName=shop;AccountKey=a2V5;EndpointSuffix=core.usgovcloudapi.net;",
                "abfss://lake@shop.dfs.core.windows.net",
            ),
            "account_key=a2V5 account_name=shop endpoint=https://shop.blob.core.usgovcloudapi.net"
        );
        assert_eq!(
            check_connection_string(
                "BlobEndpoint=https://shop.blob.core.windows.net/;\
                 QueueEndpoint=https://shop.queue.core.windows.net/;\
                 SharedAccessSignature=sv=2024-11-04&sig=a%3D",
                "az://lake",
            ),
            "sas_key=sv=2024-11-04&sig=a%3D account_name=shop \
             endpoint=https://shop.blob.core.windows.net"
        );
    }

    #[test]
    fn what_is_no_connection_string_is_refused_without_its_words() {
        assert_eq!(
            check_connection_string("hunter2", "az://lake"),
            "AZURE_STORAGE_CONNECTION_STRING is not made of KEY=VALUE; parts"
        );
        assert_eq!(
            check_connection_string(
                "AccountName=shop;AccountKey=a2V5",
                "abfss://lake@other.dfs.core.windows.net",
            ),
            "AZURE_STORAGE_CONNECTION_STRING is of the account shop, the location of other"
        );
    }
}
