(function () {
  try {
    const chosen = localStorage.getItem('freshness-theme');
    if (chosen) document.documentElement.dataset.theme = chosen;
  } catch (refused) { /* A page from a disk may not remember. */ }
})();
