/* What the pages of the site need and is not to be had as a file elsewhere: the list of headings beside a
   page, as pkgdown asks for it, and the index of the search, which is read in this way from a disk too. */
window.Toc = {
  /* Headings of the first two levels that there are, as a list of links in a list. */
  init: function (what) {
    var nav = what.$nav[0];
    var headings = what.$scope.toArray().filter(function (h) { return !h.hasAttribute("data-toc-skip"); });
    if (!nav || !headings.length) return;
    var level = function (h) { return Number(h.tagName[1]); };
    var top = Math.min.apply(null, headings.map(level));
    var list = function (parent) {
      var ul = document.createElement("ul");
      ul.className = "nav navbar-nav";
      return parent.appendChild(ul);
    };
    var all = list(nav), last = null, under = null;
    headings.forEach(function (h) {
      if (level(h) > top + 1) return;
      if (!h.id) {
        var near = h.closest("[id]");
        h.id = (near ? near.id : "part") + "-" + headings.indexOf(h);
      }
      var item = document.createElement("li"), link = document.createElement("a");
      link.className = "nav-link";
      link.href = "#" + h.id;
      link.textContent = (h.dataset.tocText || h.textContent).trim();
      item.appendChild(link);
      if (level(h) === top || !last) {
        all.appendChild(item);
        last = item;
        under = null;
      } else {
        under = under || list(last);
        under.appendChild(item);
      }
    });
  }
};

/* where: the address of search.json, which lies at the root of the site. */
window.siteIndex = function (where) {
  var root = where.replace(/search[.]json$/, "");
  return new Promise(function (done) {
    var script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = function () {
      var there = window.siteEntries.filter(function (entry) { return typeof entry.path === "string"; });
      done(there.map(function (entry) {
        return Object.assign({}, entry, { path: root + entry.path.replace(/^[/]/, "") });
      }));
      /* What was typed before the index was there is looked for now. */
      setTimeout(function () {
        var input = window.jQuery("#search-input"), typed = input.val();
        if (typed) input.autocomplete("val", "").autocomplete("val", typed);
      }, 0);
    };
    document.head.appendChild(script);
  });
};
