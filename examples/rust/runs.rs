//! Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... runs URL
use openapi::apis::{configuration::Configuration, projects_api, runs_api, Error};
use openapi::models::{enqueue_run_request::Kind, EnqueueRunRequest, ErrorBody};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let configuration = Configuration {
        base_path: std::env::args().nth(1).ok_or("usage: runs URL")?,
        bearer_access_token: Some(std::env::var("QUIRE_TOKEN")?),
        ..Configuration::default()
    };

    for project in projects_api::list_projects(&configuration).await?.data {
        println!("project {}", project.id);
    }

    // One key for one intention: a request that is sent again under it returns the first run.
    let key = uuid::Uuid::new_v4().to_string();
    let request = EnqueueRunRequest::new("alpha".into(), Kind::Diagnostic);
    let run = runs_api::enqueue_run(&configuration, &key, request.clone()).await?.data;
    println!("queued {}", run.state);
    let again = runs_api::enqueue_run(&configuration, &key, request).await?.data;
    println!("{} run", if again.id == run.id { "same" } else { "another" });

    println!("read {}", runs_api::get_run(&configuration, &run.id).await?.data.state);
    println!("cancelled {}", runs_api::cancel_run(&configuration, &run.id).await?.data.state);

    match runs_api::get_run(&configuration, &"0".repeat(32)).await {
        // `code` is the reason for programs.
        Err(Error::ResponseError(refused)) => println!("refused {}", serde_json::from_str::<ErrorBody>(&refused.content)?.error.code),
        other => println!("expected a refusal, got {other:?}"),
    }
    Ok(())
}
