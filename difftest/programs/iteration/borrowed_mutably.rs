//! `for` over `&mut list` and `values_mut()`, the item written after the await.

#[workflow]
async fn program(n: i64) -> String {
    let mut numbers = vec![n, 2, 3];
    for number in &mut numbers {
        let next = act(*number).await;
        *number += next;
        tick().await;
        *number *= 2;
    }
    let mut map = BTreeMap::from([(1, "a".to_owned()), (2, "b".to_owned())]);
    'all: for text in map.values_mut() {
        for number in numbers.iter_mut().rev() {
            text.push_str(&fetch(text).await);
            *number -= 1;
            if *number % 2 == 0 {
                continue 'all;
            }
        }
    }
    format!("{numbers:?} {map:?}")
}
