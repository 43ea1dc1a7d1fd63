//! What was made last, for whoever asks again.

use crate::error::ExploreError;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The one who asks first makes it; others who ask meanwhile wait.
type Made<T> = Arc<OnceLock<Result<Arc<T>, Arc<ExploreError>>>>;

/// What was made last, the latest at the end.
#[derive(Debug)]
pub(crate) struct Recent<Key, T> {
    most: usize,
    made: Mutex<Vec<(Key, Made<T>)>>,
}

impl<Key: PartialEq + Clone, T> Recent<Key, T> {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            made: Mutex::default(),
        }
    }

    /// What belongs to a key, made unless it is there.
    ///
    /// # Errors
    /// That of `make`, which is kept too.
    pub(crate) fn get(
        &self,
        key: &Key,
        make: impl FnOnce() -> Result<T, ExploreError>,
    ) -> Result<Arc<T>, Arc<ExploreError>> {
        let place = {
            let mut made = self.lock();
            let known = made.iter().position(|(of, _)| of == key);
            let entry = match known {
                Some(at) => made.remove(at),
                None => (key.clone(), Made::default()),
            };
            let place = Arc::clone(&entry.1);
            made.push(entry);
            if made.len() > self.most {
                made.remove(0);
            }
            place
        };
        place
            .get_or_init(|| make().map(Arc::new).map_err(Arc::new))
            .clone()
    }

    /// Forgets all.
    pub(crate) fn forget(&mut self) {
        let made = self.made.get_mut();
        made.unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Made<T>)>> {
        // Nobody fails while it is locked.
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
