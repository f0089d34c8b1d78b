//! Namespaces of one database.

use libtest_mimic::Failed;
use piton::client::Client;
use piton::prelude::*;
use piton::store::StoreOptions;

use crate::shell::Shell;
use crate::workflows::greet;

pub(crate) fn namespaces_are_apart(shell: Shell) -> Result<(), Failed> {
    assert_eq!(shell.prints(&["namespace", "list"])?, "");
    shell.block_on(async {
        for (name, whom) in [("team-7", "Ann"), ("Billing", "Ben")] {
            let client =
                Client::new(StoreOptions::default().namespace(name).connect(&shell.url).await?);
            let worker = Worker::new(&client).start().await?;
            let greeted = client.start(greet(whom.to_owned())).id("greeting").await?;
            assert_eq!(greeted.result().await?, format!("hello {whom}"));
            worker.shutdown().await?;
            client.close().await;
        }
        assert!(shell.client.find("greeting").await?.is_none());
        Ok(())
    })?;
    assert_eq!(shell.prints(&["namespace", "list"])?, "Billing\nteam-7\n");
    let json = shell.prints(&["namespace", "list", "--json"])?;
    assert_eq!(json, "[\n  \"Billing\",\n  \"team-7\"\n]\n");
    let result = |name| shell.prints(&["run", "result", "greeting", "--namespace", name]);
    assert_eq!(result("team-7")?, "\"hello Ann\"\n");
    assert_eq!(result("Billing")?, "\"hello Ben\"\n");

    let (code, error) = shell.fails(&["run", "result", "greeting"])?;
    assert_eq!(code, Some(1), "{error}");
    let (code, error) = shell.fails(&["run", "list", "--namespace", "team-8"])?;
    assert_eq!(
        (code, &*error),
        (
            Some(1),
            "error: the database has no namespace `team-8`\n\n\
             hint: `piton namespace list` lists the namespaces\n"
        )
    );
    assert_eq!(shell.prints(&["namespace", "list"])?, "Billing\nteam-7\n");
    Ok(())
}
