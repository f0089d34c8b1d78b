//! `piton definition`: the recorded definitions of workflows.

use std::fmt::Write as _;

use clap::{Subcommand, ValueEnum};
use piton::client::Client;
use piton::evolution::{StoredAwaited, StoredDefinition, StoredParameter, StoredState};
use piton::model::{DefinitionHash, SchemaHash};
use serde_json::json;

use crate::error::Failure;
use crate::graph;
use crate::output::{self, Output};
use crate::run::hint_at_workflow;

#[derive(Subcommand)]
pub(crate) enum DefinitionCommand {
    /// List definitions, each with the number of open runs in a state that it describes
    List {
        /// Only definitions of this workflow
        #[arg(long, value_name = "NAME")]
        workflow: Option<String>,
    },
    /// Show the states of a definition: source line, awaited operation, saved locals
    Show {
        /// The definition's hash, or a workflow that has only one
        definition: String,
    },
    /// Show the transitions between states
    Graph {
        /// The definition's hash, or a workflow that has only one
        definition: String,
        /// The output format
        #[arg(long, value_enum, default_value_t = Drawing::Text)]
        format: Drawing,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Drawing {
    /// A line for each state
    Text,
    /// A Mermaid state diagram
    Mermaid,
    /// The DOT language of Graphviz
    Dot,
}

pub(crate) async fn carry_out(
    client: &Client,
    command: DefinitionCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        DefinitionCommand::List { workflow } => list(client, workflow.as_deref(), output).await,
        DefinitionCommand::Show { definition } => {
            let definition = find(client, &definition).await?;
            let mut data = json!(definition);
            // As everywhere else: many programs read a number of this size inexactly.
            data["hash"] = json!(definition.hash.to_string());
            Ok(output.say(&data, || show(&definition)))
        }
        DefinitionCommand::Graph { definition, format } => {
            let definition = find(client, &definition).await?;
            Ok(match format {
                _ if output.json => output::json(&json!({
                    "states": definition.states.iter().map(|state| &state.name).collect::<Vec<_>>(),
                    "edges": definition.edges,
                })),
                Drawing::Text => graph::text(&definition),
                Drawing::Mermaid => graph::mermaid(&definition),
                Drawing::Dot => graph::dot(&definition),
            })
        }
    }
}

async fn list(client: &Client, workflow: Option<&str>, output: Output) -> Result<String, Failure> {
    let definitions = client.list_definitions(workflow).await?;
    if let (Some(workflow), true) = (workflow, definitions.is_empty()) {
        hint_at_workflow(client, workflow).await?;
    }
    if output.json {
        let definitions = definitions.iter().map(|definition| {
            json!({
                "workflow": definition.workflow,
                "hash": definition.hash.to_string(),
                "open_runs": definition.open_runs,
            })
        });
        return Ok(output::json(&definitions.collect::<Vec<_>>()));
    }
    let rows = definitions.into_iter().map(|definition| {
        vec![definition.workflow, definition.hash.to_string(), definition.open_runs.to_string()]
    });
    Ok(output::table(&["WORKFLOW", "DEFINITION", "OPEN RUNS"], rows))
}

/// The definition named by the arguments.
async fn find(client: &Client, name: &str) -> Result<StoredDefinition, Failure> {
    let unknown = || Failure::NoDefinition(name.to_owned());
    let is_hash = name.len() == 16;
    let hash = u64::from_str_radix(name, 16).ok().filter(|_| is_hash).map(DefinitionHash);
    if let Some(hash) = hash
        && let Some(definition) = client.find_definition(hash).await?
    {
        return Ok(definition);
    }
    let definitions = client.list_definitions(Some(name)).await?;
    match &definitions[..] {
        [] => Err(unknown()),
        [only] => client.find_definition(only.hash).await?.ok_or_else(unknown),
        several => Err(Failure::SeveralDefinitions {
            workflow: name.to_owned(),
            hashes: several.iter().map(|definition| definition.hash.to_string()).collect(),
        }),
    }
}

fn show(definition: &StoredDefinition) -> String {
    let type_of = |hash: SchemaHash| match definition.schemas.get(&hash.to_string()) {
        Some(schema) => schema.short_name(),
        None => format!("schema {hash}"),
    };
    let mut text = String::new();
    let parameter = |parameter: &StoredParameter| match &*parameter.name {
        "" => type_of(parameter.schema),
        name => format!("{name}: {}", type_of(parameter.schema)),
    };
    let parameters = definition.parameters.iter().map(parameter).collect::<Vec<_>>();
    let _ = writeln!(text, "definition {} of {}", definition.hash, definition.workflow);
    let _ = writeln!(
        text,
        "  takes    {}",
        if parameters.is_empty() { "nothing".to_owned() } else { parameters.join(", ") }
    );
    let _ = writeln!(text, "  returns  {}", type_of(definition.returned));
    if let Some(id) = &definition.id {
        let _ = writeln!(text, "  id       {id}");
    }
    for state in &definition.states {
        let _ = writeln!(text, "\n{}  {}:{}", state.name, state.file, state.line);
        for awaited in awaited(state) {
            let _ = writeln!(text, "  awaits  {awaited}");
        }
        for local in &state.locals {
            let ty = local.ty.clone().unwrap_or_else(|| type_of(local.schema));
            let redacted = if local.redacted { "  (redacted)" } else { "" };
            let _ = writeln!(text, "  keeps   {}: {ty}{redacted}", local.name);
        }
    }
    text
}

fn awaited(state: &StoredState) -> Vec<String> {
    let said = |awaited: &Option<StoredAwaited>| match awaited {
        Some(awaited) => awaited.to_string(),
        None => "an `async` block".to_owned(),
    };
    match &state.branches[..] {
        [] => state.awaited.iter().map(ToString::to_string).collect(),
        branches => branches.iter().map(|branch| said(&branch.awaited)).collect(),
    }
}
