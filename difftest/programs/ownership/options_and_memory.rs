//! `Option::replace`, `take`, `mem::swap` and their kin on fields, with awaits in between.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Slot {
    current: Option<String>,
    queue: Vec<String>,
    done: [Option<i64>; 2],
}
#[workflow]
async fn program(n: i64) -> Slot {
    let mut s = Slot::default();
    let mut t = Slot { current: Some(fetch("t").await), ..Default::default() };
    s.queue = words("q w e").await;
    for i in 0..2_usize {
        if let Some(prev) = s.current.replace(s.queue.remove(0)) {
            s.queue.push(concat(&prev, "r").await);
        }
        std::mem::swap(&mut s.current, &mut t.current);
        s.done[i] = Some(act(n).await);
        let taken = std::mem::take(&mut t.queue);
        for q in taken {
            s.queue.insert(0, fetch(&q).await);
        }
        let old = std::mem::replace(&mut t, Slot { queue: vec![fetch("new").await], ..s.clone() });
        s.queue.extend(old.queue);
        let [ref mut a, ref mut b] = s.done;
        std::mem::swap(a, b);
        *a = a.take().or(Some(act(i as i64).await));
        if let Some(cur) = s.current.as_mut() {
            cur.push_str(&fetch("c").await);
            cur.insert(0, letter(n).await);
        }
        let v = s.current.get_or_insert_with(String::new);
        v.push('!');
        tick().await;
    }
    s.queue.swap(0, 1);
    s
}
