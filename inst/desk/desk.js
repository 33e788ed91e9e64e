// Forms are sent as a whole, mistakes are shown at their fields, and what is typed and not sent
// outlives a page that is drawn anew or loaded again. The work itself is done in R.
(function () {
  "use strict";

  var sent = 0;         // requests so far: the same request twice is two requests
  var last = null;      // the field that had the focus, by form and name

  function runName() {
    var place = document.getElementById("desk-run");
    return place ? place.getAttribute("data-run") : "";
  }

  function boxOf(element) {
    return element.closest("[data-form]");
  }

  function boxNamed(name) {
    return document.querySelector('[data-form="' + CSS.escape(name) + '"]');
  }

  function fieldNamed(box, name) {
    return box.querySelector('[name="' + CSS.escape(name) + '"]');
  }

  function fields(box) {
    return Array.prototype.filter.call(
      box.querySelectorAll("input[name], select[name], textarea[name]"),
      function (field) { return field.type !== "file"; }
    );
  }

  // ---- What is sent ---------------------------------------------------------------------------

  function valuesOf(box) {
    var values = {};
    fields(box).forEach(function (field) {
      var ticks = field.type === "checkbox" || field.type === "radio";
      if (ticks && !field.checked) return;
      if (field.getAttribute("data-many")) {
        values[field.name] = (values[field.name] || []).concat(field.value);
      } else {
        values[field.name] = field.value;
      }
    });
    return values;
  }

  function send(box, action, value) {
    if (box.getAttribute("aria-busy") === "true") return;
    clearMistakes(box);
    box.setAttribute("aria-busy", "true");
    sent += 1;
    window.Shiny.setInputValue("desk", {
      form: box.getAttribute("data-form"), action: action, value: value,
      values: valuesOf(box), count: sent
    }, { priority: "event" });
  }

  document.addEventListener("submit", function (event) {
    var box = boxOf(event.target);
    if (!box) return;
    event.preventDefault();
    if (box.getAttribute("data-form") === "correct") {
      // The key Enter in a row that is being corrected saves it.
      var save = box.querySelector('[data-send="correct"]');
      if (save) send(box, "correct", save.getAttribute("data-value"));
      return;
    }
    send(box, box.getAttribute("data-form"), "");
  });

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-send], [data-print]");
    if (!button) return;
    if (button.hasAttribute("data-print")) {
      window.print();
      return;
    }
    send(boxOf(button), button.getAttribute("data-send"), button.getAttribute("data-value") || "");
  });

  // A trial that failed has no result.
  document.addEventListener("change", function (event) {
    var field = event.target;
    if (!/^failed[.]/.test(field.name || "") || !field.checked) return;
    var row = field.closest("tr");
    row.querySelectorAll("input[type=text]").forEach(function (other) {
      if (/^(y|successes|trials|count|exposure)[.]/.test(other.name)) {
        other.value = "";
        keep(other);
      }
    });
  });

  // ---- What comes back ------------------------------------------------------------------------

  function clearMistakes(box) {
    box.querySelectorAll(".desk-mistake").forEach(function (note) {
      if (note.classList.contains("desk-whole")) {
        note.hidden = true;
        note.textContent = "";
      } else {
        note.remove();
      }
    });
    box.querySelectorAll("[aria-invalid]").forEach(function (field) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    });
  }

  function showMistake(box, mistake) {
    var field = mistake.field ? fieldNamed(box, mistake.field) : null;
    var cell = !field && mistake.field
      ? box.querySelector('[data-cell="' + CSS.escape(mistake.field) + '"]') : null;
    if (!field && !cell) {
      var whole = box.querySelector(".desk-whole");
      if (whole) {
        whole.hidden = false;
        whole.textContent = (whole.textContent ? whole.textContent + " " : "") + mistake.text;
        whole.setAttribute("tabindex", "-1");
      }
      return whole;
    }
    var note = document.createElement("div");
    note.className = "desk-mistake";
    note.id = "mistake-" + box.getAttribute("data-form") + "-" + mistake.field;
    note.textContent = mistake.text;
    if (cell) {
      cell.insertAdjacentElement("afterend", note);
      cell.setAttribute("tabindex", "-1");
      return cell;
    }
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", note.id);
    var group = field.closest("fieldset");
    (group ? group : field.closest("label") || field).insertAdjacentElement(
      group ? "beforeend" : "afterend", note
    );
    return field;
  }

  function say(text, kind) {
    var place = document.getElementById("desk-said");
    place.className = "desk-said " + (text ? "desk-" + kind : "");
    place.textContent = text || "";
  }

  // The part of the page that a message is about may come after it.
  function when(found, then) {
    var tries = 0;
    (function again() {
      var place = found();
      if (place) then(place);
      else if (tries < 100) {
        tries += 1;
        window.setTimeout(again, 50);
      }
    })();
  }

  function answer(message) {
    say(message.said, message.kind);
    (message.forget || []).forEach(forget);
    var wrong = message.mistakes || [];
    var box = boxNamed(message.form);
    if (box && message.kind !== "wait") box.removeAttribute("aria-busy");
    if (box) clearMistakes(box);
    if (!wrong.length) return;
    when(function () { return boxNamed(message.form); }, function (place) {
      var shown = wrong.map(function (mistake) { return showMistake(place, mistake); });
      if (shown[0]) shown[0].focus();
    });
  }

  function focusOn(message) {
    when(function () {
      var box = boxNamed(message.form);
      return box && fieldNamed(box, message.field);
    }, function (field) {
      field.focus();
      if (field.select) field.select();
    });
  }

  // ---- What was typed and not sent ------------------------------------------------------------

  function keyOf(form, name) {
    return ["bayesgap-desk", runName(), form, name].join("|");
  }

  // Boxes of one name are kept one by one.
  function keyOfField(box, field) {
    var many = field.getAttribute("data-many") ? "=" + field.value : "";
    return keyOf(box.getAttribute("data-form"), field.name + many);
  }

  function keep(field) {
    var box = boxOf(field);
    if (!box || !box.getAttribute("data-keep") || !field.name) return;
    var value = field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value;
    try {
      window.sessionStorage.setItem(keyOfField(box, field), value);
    } catch (error) { /* a browser that keeps nothing */ }
  }

  function hasOption(field, value) {
    return Array.prototype.some.call(field.options, function (o) { return o.value === value; });
  }

  function restore(box) {
    if (box.getAttribute("data-restored")) return;
    box.setAttribute("data-restored", "yes");
    if (!box.getAttribute("data-keep")) return;
    fields(box).forEach(function (field) {
      var value = null;
      try {
        value = window.sessionStorage.getItem(keyOfField(box, field));
      } catch (error) { /* the same */ }
      if (value === null) return;
      if (field.type === "checkbox") field.checked = value === "yes";
      else if (field.type === "radio") field.checked = value === field.value;
      else if (field.tagName !== "SELECT" || hasOption(field, value)) field.value = value;
    });
  }

  function forget(form) {
    var start = keyOf(form, "");
    try {
      Object.keys(window.sessionStorage).forEach(function (key) {
        if (key.indexOf(start) === 0) window.sessionStorage.removeItem(key);
      });
    } catch (error) { /* the same */ }
  }

  ["input", "change"].forEach(function (type) {
    document.addEventListener(type, function (event) { keep(event.target); });
  });

  // ---- A page that is drawn anew --------------------------------------------------------------

  document.addEventListener("focusin", function (event) {
    var box = boxOf(event.target);
    var field = event.target;
    last = box ? {
      element: field, form: box.getAttribute("data-form"), name: field.name,
      send: field.getAttribute("data-send"), part: field.closest("[id]")
    } : null;
    if (last) last.part = last.part && last.part.closest(".desk-part");
    if (last) last.part = last.part && last.part.id;
  });

  // The field that had the focus was replaced: its successor gets it, or the part it was in.
  function refocus() {
    if (!last || document.contains(last.element)) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    var box = boxNamed(last.form);
    var field = box && last.name ? fieldNamed(box, last.name) : null;
    var place = field || (last.part && document.getElementById(last.part));
    if (!place) return;
    if (!field) place.setAttribute("tabindex", "-1");
    place.focus({ preventScroll: true });
  }

  function drawn() {
    document.querySelectorAll("[data-form]").forEach(restore);
    refocus();
  }

  // Parts that were opened stay open.
  var opened = {};
  document.addEventListener("toggle", function (event) {
    var part = event.target;
    if (part.id) opened[part.id] = part.open;
    window.jQuery(part).trigger(part.open ? "shown" : "hidden");
  }, true);
  function reopen() {
    Object.keys(opened).forEach(function (id) {
      var part = document.getElementById(id);
      if (part && part.tagName === "DETAILS" && opened[id]) part.open = true;
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    new MutationObserver(function () { reopen(); drawn(); })
      .observe(document.body, { childList: true, subtree: true });
    window.Shiny.addCustomMessageHandler("desk", answer);
    window.Shiny.addCustomMessageHandler("desk-focus", focusOn);
    window.jQuery(document).on("shiny:disconnected", function () {
      say("The connection to R is gone. What was saved is in the file; when R runs again, load " +
        "this page anew.", "bad");
    });
  });
})();
