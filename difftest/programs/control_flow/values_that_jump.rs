//! Code without awaits that always jumps, in places that would go on to an await.

#[workflow]
#[allow(unreachable_code)]
async fn program(n: i64) -> String {
    let kept = fetch("kept").await;
    for i in 0..6 {
        let line = (n + i, if i % 3 == 0 { note(i).to_string() } else { continue });
        let name: String;
        if act(line.0).await > 4 {
            name = match i {
                0 => line.1,
                _ => return { kept },
            };
        } else {
            name = {
                note(7);
                break;
            };
        }
        fetch(&format!("{name} {kept}")).await;
    }
    let Some(last) = (if n > 2 { Some(kept) } else { return String::new() }) else {
        return fetch("never").await;
    };
    fetch(&last).await
}
