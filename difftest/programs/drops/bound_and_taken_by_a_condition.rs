//! What a condition binds it may use up itself, or leave to be dropped at the end of the branch.

#[workflow]
async fn program(n: i64) -> i64 {
    if let (count @ ..=40, name) = (n, Noisy::new("name"))
        && std::convert::identity(name).name().len() > 3
        && let Some(other) = Some(Noisy::new("other"))
        && format!("{other:?}").len() > 2
    {
        if count > 1 {
            note(act(count).await);
        }
        note("then");
    } else {
        note(act(n).await);
    }
    if let (mut count, kept) = (n, Noisy::new("kept"))
        && format!("{kept:?}").len() > 2
    {
        if count > 1 {
            count = act(count).await;
        }
        note(count);
    }
    note("end");
    n
}
