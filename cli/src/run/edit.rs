//! `piton run edit`.

use piton::client::Client;
use serde_json::{Map, Value, json};

use super::Signature;
use crate::error::Failure;
use crate::output::Output;
use crate::shell::quoted;

#[derive(clap::Args)]
pub(crate) struct EditArgs {
    /// The run id or the workflow id
    id: String,
    /// Move it to this state, with the variables that are set; its present waits are dropped
    #[arg(long, value_name = "STATE")]
    move_to: Option<String>,
    /// Set a variable or a part of one, as named by `run show`, to a JSON value: `order.cents=1250`
    #[arg(long, value_name = "NAME=JSON", value_parser = parse_assignment)]
    set: Vec<(String, Value)>,
    /// Complete the wait for an activity or a signal with a JSON value: `charge="receipt-7"`
    #[arg(long, value_name = "WAIT=JSON", value_parser = parse_assignment)]
    complete: Vec<(String, Value)>,
    /// Fail the wait for an activity with an error: `charge=the bank is closed`
    #[arg(long, value_name = "WAIT=REASON", value_parser = parse_text)]
    fail: Vec<(String, String)>,
    /// Reopen the run if it has failed, was cancelled or terminated
    #[arg(long)]
    reopen: bool,
    #[command(flatten)]
    signature: Signature,
}

/// The name ends at the first `=`, which no name contains.
fn parse_text(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it has no `=` between a name and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn parse_assignment(text: &str) -> Result<(String, Value), String> {
    let (name, value) = parse_text(text)?;
    let value = serde_json::from_str(&value).map_err(|error| {
        let example = format!("{name}=\"text\"");
        format!("the value is not JSON ({error}); put a string in quotes: {}", quoted(&example))
    })?;
    Ok((name, value))
}

pub(super) async fn carry_out(
    client: &Client,
    args: EditArgs,
    output: Output,
) -> Result<String, Failure> {
    let EditArgs { id, move_to, set, complete, fail, reopen, signature } = args;
    let run_id = super::find(client, &id).await?;
    let mut edit = client.edit(run_id).by(signature.by).because(signature.because);
    match move_to {
        Some(state) => edit = edit.move_to(state, set.into_iter().collect::<Map<_, _>>()),
        None => {
            for (variable, value) in set {
                edit = edit.set(variable, value);
            }
        }
    }
    for (wait, value) in complete {
        edit = edit.complete(wait, value);
    }
    for (wait, reason) in fail {
        edit = edit.fail(wait, reason);
    }
    if reopen {
        edit = edit.reopen();
    }
    edit.await?;
    Ok(output.say(&json!({ "run_id": run_id }), || format!("the run {run_id} was changed\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_told_apart() {
        let parsed =
            |text: &str| parse_assignment(text).map(|(name, value)| (name, value.to_string()));
        let is = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(parsed("order.cents=7"), is("order.cents", "7"));
        assert_eq!(parsed("a=\"b=c\""), is("a", "\"b=c\""));
        assert_eq!(parsed("signal<Go>={\"by\":\"x>=y\"}"), is("signal<Go>", "{\"by\":\"x>=y\"}"));
        assert!(parsed("order").is_err_and(|error| error.contains("no `=`")));
        assert!(parsed("a=b").is_err_and(|error| error.contains("put a string in quotes")));
        assert_eq!(parse_text("charge=x >= y"), Ok(("charge".to_owned(), "x >= y".to_owned())));
    }
}
