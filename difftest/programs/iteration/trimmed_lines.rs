//! Loops over lines and words of a text that an adapter cuts.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let text = format!(" a \n\n# b\n c{n} ");
    let mut log = vec![];
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        log.push(fetch(line).await);
        log.push(line.to_owned());
    }
    for line in text.lines().map(|line| line.trim()).filter(|line| !line.starts_with('#')) {
        log.push(fetch(line).await);
        log.push(line.to_owned());
    }
    for word in text.split('\n').map(str::trim_end) {
        log.push(fetch(word).await);
        log.push(word.to_owned());
    }
    let names = vec![" ada ".to_owned(), "bob\t".to_owned(), String::new(), format!(" {n}")];
    'names: for (place, name) in names.iter().map(|name| name.trim()).enumerate() {
        for line in text.lines().rev().map(str::trim_start).filter(|line| !line.is_empty()).take(2) {
            if name.is_empty() {
                continue 'names;
            }
            log.push(concat(name, line).await);
            log.push(format!("{place} {name} {line}"));
        }
    }
    log
}
