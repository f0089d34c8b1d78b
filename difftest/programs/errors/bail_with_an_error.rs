//! `bail!` and `ensure!` with an error that there is, which may come from an await.

#[derive(Debug, Serialize, Deserialize)]
enum Failure {
    Number(String),
    Small(i64),
    Text(String),
}

impl From<std::num::ParseIntError> for Failure {
    fn from(error: std::num::ParseIntError) -> Self {
        Self::Number(error.to_string())
    }
}

impl From<piton::Error> for Failure {
    fn from(error: piton::Error) -> Self {
        Self::Text(error.to_string())
    }
}

#[workflow]
async fn program(n: i64) -> Result<i64, Failure> {
    let value = act(n).await;
    if value % 5 == 0 {
        piton::bail!(Failure::Small(act(value).await));
    }
    if let Err(error) = format!("{n}x").parse::<i64>() && value % 3 == 0 {
        piton::bail!(error);
    }
    piton::ensure!(n > -3, Failure::Small(value),);
    piton::ensure!(value % 2 == 0, "{value} is {}", fetch("odd").await);
    if n > 15 {
        piton::bail!("{n} is too large");
    }
    Ok(value)
}
