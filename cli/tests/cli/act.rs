//! Runs are acted on by their ids.

use libtest_mimic::Failed;
use piton::prelude::*;

use crate::shell::Shell;
use crate::workflows::tally;

pub(crate) fn a_run_is_acted_on(shell: Shell) -> Result<(), Failed> {
    let client = &shell.client;
    let worker = shell.block_on(async {
        let worker = Worker::new(client).start().await?;
        for id in ["tally-1", "tally-2", "tally-3"] {
            client.start(tally()).id(id).await?;
        }
        Ok(worker)
    })?;
    let answer = ["run", "update", "tally-1", "Add", "{\"number\": 4}", "--update-id", "four"];
    assert_eq!(shell.prints(&answer)?, "4\n");
    assert_eq!(shell.prints(&answer)?, "4\n", "the same id is the same update");
    assert_eq!(shell.prints(&["run", "query", "tally-1"])?, "sum = 4\n");
    assert_eq!(shell.prints(&["run", "query", "tally-1", "sum"])?, "4\n");
    assert_eq!(shell.prints(&["run", "query", "tally-1", "--json"])?, "{\n  \"sum\": 4\n}\n");

    let fails = |arguments: &[&str]| {
        let (code, text) = shell.fails(&[&["run"], arguments].concat())?;
        assert_eq!(code, Some(1), "{text}");
        Ok::<_, Failed>(text)
    };
    let refused = fails(&["update", "tally-1", "Add", "{\"number\": 40}"])?;
    assert_eq!(refused, "error: the update was refused: {\"limit\":10}\n");
    let unknown = fails(&["update", "tally-1", "add"])?;
    let expected = "error: the workflow `tally` never waits for the update `add`; it waits for: `Add`\n\n\
                    hint: `piton definition show` shows what each state of a workflow waits for\n";
    assert_eq!(unknown, expected);
    let unknown = fails(&["signal", "tally-1", "Aprove"])?;
    assert!(unknown.contains("never waits for the signal `Aprove`; it waits for: `Approve`"));
    let unfit = fails(&["signal", "tally-1", "Approve", "{\"by\": 7}"])?;
    assert!(unfit.contains("`by`: expected a text, found integer `7`"), "{unfit}");
    let sent = shell.prints(&["run", "signal", "tally-1", "Aprove", "--unchecked"])?;
    assert_eq!(sent, "the signal was sent\n");
    let hidden = fails(&["query", "tally-1", "total"])?;
    assert!(hidden.contains("exposed are: `sum`"), "{hidden}");
    let nobody = fails(&["update", "tally-9", "Add"])?;
    assert!(nobody.contains("there is no run with the id or workflow id `tally-9`"), "{nobody}");

    shell.prints(&["run", "signal", "tally-1", "Approve", "{\"by\": \"Ann\"}"])?;
    assert_eq!(shell.prints(&["run", "result", "tally-1"])?, "4\n");
    // Closed, and the answer is still there.
    assert_eq!(shell.prints(&answer)?, "4\n");
    assert_eq!(shell.prints(&["run", "query", "tally-1", "sum"])?, "4\n");
    let closed = fails(&["update", "tally-1", "Add", "{\"number\": 1}"])?;
    assert!(closed.contains("is closed"), "{closed}");

    shell.prints(&["run", "cancel", "tally-2", "--because", "no time"])?;
    let cancelled = fails(&["result", "tally-2"])?;
    assert_eq!(cancelled, "error: the run was cancelled: no time\n");
    shell.prints(&["run", "terminate", "tally-3", "--because", "enough"])?;
    assert_eq!(fails(&["result", "tally-3"])?, "error: the run was terminated: enough\n");
    let over = fails(&["terminate", "tally-2", "--because", "enough"])?;
    assert_eq!(over, "error: the run `tally-2` is already cancelled\n");
    shell.block_on(async { Ok(worker.shutdown().await?) })
}

pub(crate) fn an_update_without_an_answer_is_asked_for_again(shell: Shell) -> Result<(), Failed> {
    shell.block_on(async { Ok(shell.client.start(tally()).id("tally-1").await.map(drop)?) })?;
    let add = ["run", "update", "tally-1", "Add", "{\"number\":4}", "--update-id", "ann's"];
    let (code, text) = shell.fails(&[&add[..], &["--timeout", "1ms"]].concat())?;
    assert_eq!(code, Some(4), "{text}");
    let expected = "error: the run `tally-1` has not answered the update `Add` within 1ms\n\n\
                    hint: the run may answer later; this asks again and sends nothing twice: \
                    `piton run update tally-1 Add '{\"number\":4}' --update-id 'ann'\\''s'`\n";
    assert_eq!(text, expected);
    let without_id = ["run", "update", "tally-1", "Add", "{\"number\":5}", "--timeout", "1ms"];
    let (code, text) = shell.fails(&without_id)?;
    assert_eq!(code, Some(4), "{text}");
    let id = text.split("--update-id ").nth(1).and_then(|rest| rest.split('`').next());
    let id = id.ok_or("the id is told")?.to_owned();

    let worker = shell.block_on(async { Ok(Worker::new(&shell.client).start().await?) })?;
    assert_eq!(shell.prints(&[&add[..], &["--timeout", "none"]].concat())?, "4\n");
    assert_eq!(shell.prints(&add)?, "4\n");
    let again = [&without_id[..5], &["--update-id", &id]].concat();
    assert_eq!(shell.prints(&again)?, "9\n");
    assert_eq!(shell.prints(&["run", "query", "tally-1", "sum"])?, "9\n");
    shell.block_on(async { Ok(worker.shutdown().await?) })
}
