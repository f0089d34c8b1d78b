//! Tests of the mailing.

use piton_examples::fan_out::{self, Mailing};

#[tokio::test]
async fn every_letter_is_sent_and_a_copy_is_archived() -> piton::Result<()> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("mailing.db").display());
    let wanted = Mailing { sent: 1_998, failed: 2, archived: Some("archive/spring".to_owned()) };
    assert_eq!(fan_out::run(&url, 2_000).await?, wanted);
    Ok(())
}
