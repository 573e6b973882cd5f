// How the search of the site ranks pages. Sphinx alone gives all pages with a word in a heading the same score, so that
// tables of the appendix came before the page that says what to do. Sphinx calls `score` for every result.
var Scorer = (() => {
  const RECIPES = ["how-to/", "guides/", "quickstart", "how-it-works", "faq"]; // pages that answer a question
  const APPENDIX = [ // the pages of appendix.md
    "results", "intervals-tables", "compare-tables", "thresholds-tables", "many-classes-tables", "slices-tables",
    "research", "bench", "architecture", "contributing", "changelog", "licences",
  ];

  const section = (page) => {
    if (APPENDIX.includes(page)) return -12; // a word in a heading (15) is then less than one in the text of others (5)
    return RECIPES.some((start) => page.startsWith(start)) ? 4 : 0;
  };

  // 8 for every word of the query that begins a word in the name or the title of the page ("how-to/compare-models")
  const named = (page, title) => {
    const query = new URLSearchParams(window.location.search).get("q") || "";
    const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
    const there = words(`${page} ${title}`);
    return 8 * words(query).filter((word) => there.some((one) => one.startsWith(word))).length;
  };

  return {
    score: ([page, title, , , score]) => score + section(page) + named(page, title),

    // the values of Sphinx
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
  };
})();
