//! A saga: the `?` of a block leaves the block, and what has been done is undone.
#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let mut undo: Vec<i64> = Vec::new();
    let result = async {
        for step in n..n + 3 {
            let id = try_act(step).await?;
            undo.push(id);
        }
        let last = try_act(undo.len() as i64).await?;
        Ok(last)
    }
    .await;
    if let Err(error) = &result {
        note(format!("{error}"));
        while let Some(id) = undo.pop() {
            act(-id).await;
        }
    }
    result
}
