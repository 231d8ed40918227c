//! Where links lead.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Links that are followed from one to the next: as many as Linux does.
const MOST: usize = 40;

/// The file that a path stands for, which need not be there yet: what is written beside it and renamed takes its place, and
/// not that of a link to it. A link that leads in a circle stays what it is, and opening it says so.
pub fn target(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(link) = fs::read_link(&target) else { return target };
        // relative to the folder of the link
        target = target.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
    }
    path.to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{io, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn links_are_followed_to_what_is_no_link() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far"))?;
        symlink("far/second", at("first"))?;
        symlink(at("file"), at("far/second"))?;
        assert_eq!(target(&at("first")), at("file"), "it need not be there");
        fs::write(at("file"), "")?;
        assert_eq!((target(&at("first")), target(&at("file"))), (at("file"), at("file")));
        symlink("round", at("round"))?;
        assert_eq!(target(&at("round")), at("round"));
        Ok(())
    }
}
