//! Queries by name, with JSON arguments and answers.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::exposed::formerly;
use super::{Exposed, UntypedRun};
use crate::error::QueryError;
use crate::generated::registration::Registrations;
use crate::machine::{Workflow, WorkflowEntry};

/// A query in the registry, created by `#[query]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Query {
    workflow: fn() -> &'static WorkflowEntry,
    /// The path of the function.
    path: &'static str,
    arguments: &'static [&'static str],
    run: fn(&Exposed, &QueryArguments<'_>) -> Result<Json, QueryError>,
}

static REGISTERED: Registrations<Query> = Registrations::new();

impl Query {
    /// The query of runs of `W` by a function.
    pub const fn of<W: Workflow>(
        path: &'static str,
        arguments: &'static [&'static str],
        run: fn(&Exposed, &QueryArguments<'_>) -> Result<Json, QueryError>,
    ) -> Self {
        Self { workflow: W::entry, path, arguments, run }
    }

    /// Adds it to the registry, before `main`.
    pub fn register(&'static self) {
        REGISTERED.add(self);
    }

    /// The query of a workflow with this name, or with a path that ends with it.
    fn find(workflow: &str, name: &str) -> Result<&'static Self, QueryError> {
        let mut queries = REGISTERED.all();
        queries.retain(|query| (query.workflow)().names().contains(&workflow));
        let mut named = queries.iter().filter(|query| query.is_named(name));
        if let (Some(query), None) = (named.next(), named.next()) {
            return Ok(query);
        }
        let mut known: Vec<_> = queries.iter().map(|query| query.path.to_owned()).collect();
        known.sort_unstable();
        Err(QueryError::NoQuery { workflow: workflow.to_owned(), name: name.to_owned(), known })
    }

    fn is_named(&self, name: &str) -> bool {
        let before = self.path.strip_suffix(name);
        before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
    }

    fn answer(&self, exposed: &Exposed, arguments: &Json) -> Result<Json, QueryError> {
        let mut given = QueryArguments { query: self, given: None };
        match arguments {
            Json::Null => {}
            Json::Object(arguments) => given.given = Some(arguments),
            _ => return Err(given.unfit(None, "expected an object, or null")),
        }
        let mut names = given.given.into_iter().flat_map(Map::keys);
        if let Some(name) = names.find(|name| !self.arguments.contains(&&***name)) {
            let reason = match self.arguments {
                [] => "the query takes no arguments".to_owned(),
                names => format!("the query takes `{}`", names.join("`, `")),
            };
            return Err(given.unfit(Some(name), reason));
        }
        (self.run)(exposed, &given)
    }
}

/// The JSON arguments of a query, by name.
#[doc(hidden)]
#[derive(Debug)]
pub struct QueryArguments<'a> {
    query: &'a Query,
    given: Option<&'a Map<String, Json>>,
}

impl QueryArguments<'_> {
    /// The error for an argument whose type is borrowed in part, or has no name.
    pub fn not_owned(&self, argument: &str) -> QueryError {
        self.unfit(
            Some(argument),
            "its type is borrowed or has no name, so it cannot be read from JSON",
        )
    }

    fn unfit(&self, argument: Option<&str>, reason: impl Into<String>) -> QueryError {
        let (query, argument) = (self.query.path.to_owned(), argument.map(str::to_owned));
        QueryError::Argument { query, argument, reason: reason.into() }
    }
}

/// An argument of the type `T`. `(&QueryArgument::<T>::new()).read(..)` uses [`ReadArgument`] if `T` has a JSON form,
/// otherwise [`NoArgument`].
#[doc(hidden)]
#[derive(Debug)]
pub struct QueryArgument<T>(PhantomData<fn() -> T>);

impl<T> QueryArgument<T> {
    #[expect(clippy::new_without_default, reason = "for generated code")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

#[doc(hidden)]
pub trait ReadArgument<T> {
    /// An argument that is left out is null.
    fn read(&self, arguments: &QueryArguments<'_>, name: &str) -> Result<T, QueryError>;
}

impl<T: DeserializeOwned> ReadArgument<T> for QueryArgument<T> {
    fn read(&self, arguments: &QueryArguments<'_>, name: &str) -> Result<T, QueryError> {
        let given = arguments.given.and_then(|given| given.get(name));
        T::deserialize(given.unwrap_or(&Json::Null)).map_err(|error| match given {
            Some(_) => arguments.unfit(Some(name), error.to_string()),
            None => arguments.unfit(Some(name), "it is missing"),
        })
    }
}

#[doc(hidden)]
pub trait NoArgument<T> {
    fn read(&self, arguments: &QueryArguments<'_>, name: &str) -> Result<T, QueryError>;
}

impl<T> NoArgument<T> for &QueryArgument<T> {
    fn read(&self, arguments: &QueryArguments<'_>, name: &str) -> Result<T, QueryError> {
        Err(arguments.unfit(Some(name), "its type does not implement `Deserialize`"))
    }
}

/// The answer of a query. `(&QueryAnswer(&answer)).show(..)` uses [`ShowAnswer`] if `T` has a JSON form, otherwise
/// [`NoAnswer`].
#[doc(hidden)]
#[derive(Debug)]
pub struct QueryAnswer<'a, T>(pub &'a T);

#[doc(hidden)]
pub trait ShowAnswer {
    fn show(&self, arguments: &QueryArguments<'_>) -> Result<Json, QueryError>;
}

impl<T: Serialize> ShowAnswer for QueryAnswer<'_, T> {
    fn show(&self, arguments: &QueryArguments<'_>) -> Result<Json, QueryError> {
        let query = || arguments.query.path.to_owned();
        serde_json::to_value(self.0)
            .map_err(|error| QueryError::Answer { query: query(), reason: error.to_string() })
    }
}

#[doc(hidden)]
pub trait NoAnswer {
    fn show(&self, arguments: &QueryArguments<'_>) -> Result<Json, QueryError>;
}

impl<T> NoAnswer for &QueryAnswer<'_, T> {
    fn show(&self, arguments: &QueryArguments<'_>) -> Result<Json, QueryError> {
        let query = arguments.query.path.to_owned();
        let reason = "its type does not implement `Serialize`".to_owned();
        Err(QueryError::Answer { query, reason })
    }
}

impl UntypedRun {
    /// Executes a [`#[query]`](macro@crate::query) of the run's workflow by its name, with the arguments as a JSON
    /// object by their names, or null. An argument that is left out is null. If functions of several modules have the
    /// name, write the end of the path: `"admin::total"`.
    ///
    /// A query is code, so it has to be part of this program; the run's workflow need not be known here by type.
    /// [`UntypedRun::variable`] needs no code.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let currency = serde_json::json!({ "currency": "EUR" });
    /// println!("{}", client.by_id("cart-7").query("total", &currency).await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::NoQuery`] if the program has no such query of the workflow; [`QueryError::Argument`] and
    /// [`QueryError::Answer`] if a value has no JSON form or does not fit; and those of
    /// [`RunHandle::query`](super::RunHandle::query).
    pub async fn query(&self, name: &str, arguments: &Json) -> Result<Json, QueryError> {
        let run = self.status().await?;
        let query = Query::find(&run.workflow, name)?;
        let mut exposed = self.client().exposed(run.run_id).await?;
        exposed.rename(formerly((query.workflow)()));
        query.answer(&exposed, arguments)
    }
}
