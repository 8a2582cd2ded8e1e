//! Adds, reads and searches documents of a Quire server. Usage: docs URL
use openapi::apis::{audit_api, configuration::Configuration, documents_api, fulltext_api, Error};
use openapi::models::{AddDocumentRequest, ErrorBody, GetDocumentRequest, RangeCondition, SearchDocumentsRequest, SearchFullTextRequest};
use std::collections::HashMap;

const COLLECTION: &str = "examples";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let configuration = Configuration {
        base_path: std::env::args().nth(1).ok_or("usage: docs URL")?,
        // A server without accounts needs no token.
        bearer_access_token: std::env::var("QUIRE_TOKEN").ok(),
        ..Configuration::default()
    };

    for (key, text, year) in [("hello", "# Hello", "2026"), ("goodbye", "# Goodbye", "1999")] {
        let request = AddDocumentRequest {
            meta: Some(meta(&[("kind", &[key]), ("year", &[year])])),
            ..AddDocumentRequest::new(COLLECTION.into(), key.into(), "en".into(), text.into())
        };
        println!("added {}", documents_api::add_document(&configuration, request).await?.key);
    }

    let document = documents_api::get_document(&configuration, name("hello")).await?;
    println!("read {}", document.content_md);

    let hellos = SearchDocumentsRequest {
        filter_meta: Some(meta(&[("kind", &["hello"])])),
        ..SearchDocumentsRequest::new(COLLECTION.into())
    };
    for document in documents_api::search_documents(&configuration, hellos).await? {
        println!("filtered {}", document.key);
    }

    let query = SearchFullTextRequest {
        filter_meta: Some(meta(&[("kind", &["hello", "goodbye"])])),
        range_meta: Some(vec![RangeCondition { gte: Some(Some(2000.into())), ..RangeCondition::new("year".into()) }]),
        highlight: Some(true),
        ..SearchFullTextRequest::new(COLLECTION.into(), "hello goodbye".into())
    };
    for result in fulltext_api::search_full_text(&configuration, query).await?.results {
        let highlights = result.highlights.unwrap_or_default();
        println!("found {} {}", result.document.key, highlights.first().map_or("", |highlight| &highlight.fragment));
    }

    match documents_api::get_document(&configuration, name("absent")).await {
        // `code` is the reason for programs, `error` the one for people.
        Err(Error::ResponseError(refused)) => println!("refused {}", serde_json::from_str::<ErrorBody>(&refused.content)?.code),
        other => println!("expected a refusal, got {other:?}"),
    }

    // The exact time, which is beyond 2^53, finds the record again.
    let newest = audit_api::list_audit_events(&configuration, None, None, None, None, None, Some("write./v1/add"), None, None, None, Some(1)).await?.events.remove(0);
    let again = audit_api::list_audit_events(&configuration, None, None, Some(newest.ts), Some(newest.ts), None, None, None, None, None, None).await?.events;
    if newest.ts > 1 << 53 && again.contains(&newest) {
        println!("audited {} in nanoseconds", newest.action);
    }
    Ok(())
}

fn name(key: &str) -> GetDocumentRequest {
    GetDocumentRequest::new(COLLECTION.into(), key.into(), "en".into())
}

fn meta(entries: &[(&str, &[&str])]) -> HashMap<String, Vec<String>> {
    entries.iter().map(|(key, values)| (key.to_string(), values.iter().map(|value| value.to_string()).collect())).collect()
}
