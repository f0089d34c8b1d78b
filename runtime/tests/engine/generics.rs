//! Instances of generic workflows.

use piton::prelude::*;

use crate::activities::*;
use crate::rig::Rig;

#[workflow]
async fn twice<T: Durable + Clone>(value: T) -> (T, T) {
    echo("pause").await;
    (value.clone(), value)
}

register!(twice::<u64>);
register!(twice::<String>, name = "twice.text");

#[tokio::test(start_paused = true)]
async fn instances_run_under_names_of_their_own() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let number = rig.client.start(twice(7_u64)).id("number").await.unwrap();
    let text = rig.client.start(twice("a".to_owned())).id("text").await.unwrap();
    assert_eq!(number.result().await.unwrap(), (7, 7));
    assert_eq!(text.result().await.unwrap(), ("a".to_owned(), "a".to_owned()));
    assert_eq!(number.status().await.unwrap().workflow, "twice<u64>");
    assert_eq!(text.status().await.unwrap().workflow, "twice.text");
    rig.client.run::<twice<u64>>("number").await.unwrap();
    let other = rig.client.run::<twice<String>>("number").await.unwrap_err();
    assert!(
        other.to_string().ends_with("is a run of `twice<u64>`, not of `twice.text`"),
        "{other}"
    );
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_is_not_registered_is_named() {
    let rig = Rig::new();
    let refused = rig.client.start(twice(1_u8)).await.unwrap_err().to_string();
    for part in ["twice<u8>`", "not registered", "piton::register!("] {
        assert!(refused.contains(part), "{part} is missing in: {refused}");
    }
}
