//! A local that is declared, assigned in branches, and never read.

#[workflow]
async fn quiet(n: i64) -> i64 {
    #[allow(unused_variables, unused_assignments)]
    {
        let value;
        if n > 1 {
            value = Some(3_i64);
        } else {
            value = None::<i64>;
        }
    }
    n
}

#[workflow]
async fn program(n: i64) -> String {
    #[allow(unused_variables, unused_assignments)]
    {
        let value;
        if act(n).await > 20 {
            value = fetch("yes").await;
            note(1);
        } else {
            value = "no".to_owned();
            tick().await;
        }
    }
    quiet(n).await;
    "done".to_owned()
}
