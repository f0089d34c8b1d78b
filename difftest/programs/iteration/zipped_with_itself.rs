//! A loop over a list and itself, whose body looks into the list with what changes.
#[workflow]
async fn program(n: i64) -> i64 {
    let mut v17 = vec![12; 2];
    for (a, b) in v17.iter().zip(&v17) {
        let mut c = *b;
        'l: {
            let Some(d) = v17.iter().filter(|x| **x <= c).last() else { break 'l };
            note(act(*d).await);
            note(*d);
            c = *a;
            note(c);
        }
    }
    v17.push(3);
    v17.len() as i64
}
