//! A film is made into several formats, part by part; a map says how far each of them is.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Format {
    Hd,
    Sd,
    Audio,
}

impl Format {
    const ALL: [Self; 3] = [Self::Hd, Self::Sd, Self::Audio];

    const fn suffix(self) -> &'static str {
        match self {
            Self::Hd | Self::Sd => "mp4",
            Self::Audio => "ogg",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Progress {
    Waiting,
    Running { part: usize, of: usize },
    Done(PathBuf),
    Failed(String),
}

#[workflow]
async fn transcode(path: PathBuf, n: i64) -> Result<BTreeMap<Format, Progress>, String> {
    let name = path.to_str().ok_or("not a name")?;
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .ok_or_else(|| format!("no stem in {}", path.display()))?;
    let length = try_fetch(name).await.map_err(|error| error.to_string())?.len() as i64;
    let parts: Vec<i64> = (0..length).step_by(4).collect();
    let mut progress: BTreeMap<_, _> =
        Format::ALL.into_iter().map(|format| (format, Progress::Waiting)).collect();
    for format in Format::ALL {
        let state = progress.get_mut(&format).unwrap();
        let mut files = Vec::with_capacity(parts.len());
        for (part, offset) in parts.iter().enumerate() {
            *state = Progress::Running { part, of: parts.len() };
            match try_act(offset + n + format as i64).await {
                Ok(file) => files.push(file),
                Err(error) => {
                    *state = Progress::Failed(format!("part {part}: {error}"));
                    break;
                }
            }
        }
        if let Progress::Failed(_) = state {
            note(total(&files).await);
            continue;
        }
        let target = format!("{stem}.{}", format.suffix());
        let done = concat(name, &target).await;
        progress.insert(format, Progress::Done(done.into()));
        note((&progress, stem));
    }
    let failed = progress.values().filter(|p| matches!(p, Progress::Failed(_))).count();
    if failed == progress.len() {
        let Some((format, Progress::Failed(why))) = progress.pop_first() else { unreachable!() };
        return Err(format!("{format:?}: {why}"));
    }
    Ok(progress)
}

#[workflow]
async fn program(n: i64) -> Vec<Result<BTreeMap<Format, Progress>, String>> {
    let films = ["films/a.mov", "..", "b"].map(PathBuf::from);
    let mut results = Vec::new();
    for film in films {
        results.push(transcode(film, n).await);
    }
    results
}
