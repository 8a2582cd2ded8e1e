//! Serves the index over HTTP: `GET /search?...` as defined in `../filters/job.ts`, answered on the thread that read the request.
use crate::Result;
use crate::ask::Ask;
use crate::filters::FilterIndex;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use serde_json::json;
use std::sync::Arc;

pub fn serve(index: FilterIndex) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let app = Router::new()
                .route("/search", get(search))
                .with_state(Arc::new(index));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
            println!("listening on http://{}", listener.local_addr()?);
            let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap_or(()));
            axum::serve(listener, app).await?;
            Ok(())
        })
}

async fn search(State(index): State<Arc<FilterIndex>>, RawQuery(query): RawQuery) -> Response {
    match answer(&index, query.as_deref().unwrap_or_default()) {
        Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

fn answer(index: &FilterIndex, query: &str) -> Result<String> {
    let found = index.search(&Ask::from_query(query)?)?;
    let results: Vec<_> = index
        .keys(&found)?
        .into_iter()
        .zip(&found.hits)
        .map(|(key, (score, _))| json!({ "key": key, "score": score }))
        .collect();
    Ok(json!({ "total": found.total, "results": results, "counts": found.counts }).to_string())
}
