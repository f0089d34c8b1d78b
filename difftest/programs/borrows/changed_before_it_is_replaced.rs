//! What a borrow changes last, and of which the place is given another value then.

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Stage { at: i64, notes: Vec<i64> }
#[workflow]
async fn program(n: i64) -> (i64, Stage) {
    let mut job = (1, Stage { at: n, notes: vec![] });
    let stage = &mut job.1;
    tick().await;
    stage.at = 3;
    job.1 = Stage { at: 8, notes: vec![n] };
    tick().await;
    note(&job.1.notes);
    let (a, _) = join!(
        async {
            let stage = &mut job.1;
            tick().await;
            stage.at = 3;
            job.1 = Stage { at: 9, notes: vec![] };
            tick().await;
            job.1.at
        },
        act(1)
    );
    (a, job.1)
}
