/// The behaviour of the page of `roost serve`. Every text of the store becomes a text node, so none
/// of it is markup.
enum WebScript {
  static let text = #"""
    'use strict';
    const main = document.getElementById('main');
    const status = document.getElementById('status');
    let store = { entities: [] };
    // The places where the pages of this question begin; the last one is that of this page.
    let pages = [null], question = '', turn = 0;
    // The shown rows, and the row that was opened last.
    let shown = null, opened = null;

    function element(name, attributes, ...children) {
      const made = document.createElement(name);
      for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
        else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
      }
      for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
      return made;
    }
    function show(...children) { main.replaceChildren(...children.flat(Infinity).filter(Boolean)); }
    function count(number) { return Number(number).toLocaleString('en'); }
    function plural(number, noun) { return `${count(number)} ${noun}${number === 1 ? '' : 's'}`; }

    let asking = null;
    async function ask(path, parameters) {
      const words = new URLSearchParams();
      for (const [key, value] of Object.entries(parameters || {})) if (value !== null && value !== '' && value !== undefined) words.set(key, value);
      let reply;
      try { reply = await fetch(`/api/${path}?${words}`, { signal: asking ? asking.signal : undefined }); } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw Object.assign(new Error("'roost serve' does not answer any more. Start it again, and open the link that it prints."), { status: 0 });
      }
      const found = await reply.json().catch(() => ({ error: `the server says ${reply.status}` }));
      if (!reply.ok) throw Object.assign(new Error(found.error), { status: reply.status });
      return found;
    }

    // The parts of the address: a view, an entity, a row, a filter and an order.
    function place() {
      const [path, words] = location.hash.slice(1).split('?');
      const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
      const parameters = new URLSearchParams(words || '');
      const view = { history: 'history', sizes: 'sizes', models: 'models' }[parts[0]];
      if (view) return { view, entity: parts[1] || '' };
      const entity = parts[0] === 'e' ? parts[1] : (store.entities[0] || {}).name;
      return { view: parts[2] ? 'row' : 'rows', entity, row: parts[2], where: parameters.get('where') || '', sort: parameters.get('sort') || '' };
    }
    function address(entity, parameters) {
      const words = new URLSearchParams();
      for (const [key, value] of Object.entries(parameters || {})) if (value) words.set(key, value);
      return `#/e/${encodeURIComponent(entity)}${words.size ? '?' + words : ''}`;
    }
    function rowAddress(entity, row) { return `#/e/${encodeURIComponent(entity)}/${row}`; }

    async function go() {
      const now = ++turn;
      // The result of a running question is no longer needed.
      if (asking) asking.abort();
      asking = new AbortController();
      status.textContent = '';
      try {
        store = await ask('store');
        if (now !== turn) return;
        const here = place();
        frame(here);
        const views = { rows, row, history: transactions, sizes, models };
        await views[here.view](here, () => now === turn);
      } catch (error) {
        if (error.name === 'AbortError' || now !== turn) return;
        if (error.status === 0 || error.status === 410) return lost(error);
        status.textContent = error.message;
      }
    }

    // The store or the server is gone.
    function lost(error) {
      shown = null;
      document.getElementById('entities').replaceChildren();
      const again = element('button', { type: 'button', onclick: go }, 'Try again');
      show(element('h2', {}, error.status ? 'The store is gone' : 'The server has ended'), element('p', { role: 'alert' }, error.message), again);
      again.focus();
    }

    function frame(here) {
      document.title = `${store.name} – Roost`;
      document.getElementById('name').textContent = store.name;
      document.getElementById('commit').textContent = `transaction ${count(store.commit)}`;
      for (const link of document.querySelectorAll('#views a')) {
        const isHere = link.dataset.view === (here.view === 'row' ? 'rows' : here.view);
        isHere ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
      }
      document.getElementById('entities').replaceChildren(...store.entities.map(one =>
        element('a', { href: here.view === 'history' ? `#/history/${encodeURIComponent(one.name)}` : address(one.name), 'aria-current': one.name === here.entity && 'true', title: one.name },
          element('span', {}, one.name), element('span', { class: 'count' }, count(one.rows)))));
    }

    // Rows

    async function rows(here, isCurrent) {
      if (!here.entity) return show(element('p', { class: 'faint' }, 'The store has no entities.'));
      const asked = JSON.stringify([here.entity, here.where, here.sort]);
      const places = asked === question ? pages : [null];
      const where = element('input', { id: 'where', value: here.where, placeholder: 'year > 1970 && title.contains("blue")', 'aria-label': 'Condition', autocomplete: 'off', spellcheck: 'false' });
      const sort = element('input', { id: 'sort', value: here.sort, placeholder: 'year,-title', 'aria-label': 'Sorted by', autocomplete: 'off', spellcheck: 'false' });
      const submit = event => { event.preventDefault(); const next = address(here.entity, { where: where.value.trim(), sort: sort.value.trim() }); next === location.hash ? go() : (location.hash = next); };
      const plan = element('button', { type: 'button', onclick: () => explain(here, where.value, sort.value) }, 'Plan');
      const form = element('form', { onsubmit: submit }, where, sort, element('button', {}, 'Show'), plan);
      const fault = element('p', { id: 'fault', role: 'alert' });
      // The former rows stay until new ones arrive, even if the new question is invalid.
      const grid = shown && shown.entity === here.entity ? shown.grid : element('div', {}, element('p', { class: 'faint' }, 'Reading …'));
      const focused = ['where', 'sort'].includes((document.activeElement || {}).id) ? document.activeElement.id : null;
      show(form, fault, grid);
      if (focused) { const input = focused === 'sort' ? sort : where; input.focus(); input.setSelectionRange(input.value.length, input.value.length); }
      let found;
      try {
        found = await ask('rows', { entity: here.entity, where: here.where, sort: here.sort, after: places[places.length - 1] });
      } catch (error) {
        if (error.name === 'AbortError' || error.status === 0 || error.status === 410) throw error;
        if (!isCurrent()) return;
        fault.textContent = error.message + (shown && shown.entity === here.entity ? '. The rows are those of the question before.' : '');
        for (const input of [where, sort]) { input.setAttribute('aria-invalid', 'true'); input.setAttribute('aria-describedby', 'fault'); }
        if (!shown || shown.entity !== here.entity) return grid.replaceChildren();
        grid.classList.add('old');
        for (const button of grid.querySelectorAll('button')) button.disabled = true;
        return;
      }
      if (!isCurrent()) return;
      (question = asked, pages = places, shown = { entity: here.entity, grid });
      grid.classList.remove('old');
      const fields = new Set((store.entities.find(one => one.name === here.entity) || { fields: [] }).fields);
      const heads = found.columns.map((name, at) => element('th', { class: found.numbers[at] && 'number', scope: 'col' },
        fields.has(name) ? element('button', { type: 'button', title: 'Sort', onclick: () => {
          location.hash = address(here.entity, { where: here.where, sort: here.sort === name ? '-' + name : name });
        } }, name + (here.sort === name ? ' ↑' : here.sort === '-' + name ? ' ↓' : '')) : name));
      const lines = found.rows.map(cells => {
        const open = () => { opened = cells[0]; location.hash = rowAddress(here.entity, cells[0].slice(1)); };
        return element('tr', { tabindex: '0', 'data-row': cells[0], onclick: open, onkeydown: event => { if (event.key === 'Enter') open(); } },
          cells.map((cell, at) => element('td', { class: found.numbers[at] && 'number', title: cell !== null && cell.length > 40 && cell },
            cell === null ? element('span', { class: 'nil' }, 'nil') : cell)));
      });
      const back = element('button', { type: 'button', id: 'previous', disabled: pages.length === 1, onclick: () => { pages.pop(); go(); } }, '← Previous');
      const next = element('button', { type: 'button', id: 'next', disabled: found.next === null, onclick: () => { pages.push(found.next); go(); } }, 'Next →');
      const total = element('span', {}, `page ${count(pages.length)}`);
      grid.replaceChildren(
        lines.length ? element('div', { class: 'scroll' }, element('table', {}, element('thead', {}, element('tr', {}, heads)), element('tbody', {}, lines)))
          : element('p', { class: 'faint' }, 'No row matches.'),
        element('div', { class: 'bar' }, back, next, total));
      // After a row was shown, the keyboard focus returns to its line.
      const line = opened && grid.querySelector(`tr[data-row="${opened}"]`);
      opened = null;
      if (line && !focused) line.focus();
      const { count: all } = await ask('count', { entity: here.entity, where: here.where });
      if (isCurrent()) total.textContent = `page ${count(pages.length)}, ${plural(all, 'row')}`;
    }

    async function explain(here, where, sort) {
      try {
        const plan = await ask('plan', { entity: here.entity, where: where.trim(), sort: sort.trim(), run: 1 });
        const lines = plan.plan.slice();
        if (plan.missingIndex) lines.push('', `it would read less with ${plan.missingIndex.line}`);
        const old = document.getElementById('plan');
        const box = element('pre', { id: 'plan', tabindex: '0' }, lines.join('\n'));
        old ? old.replaceWith(box) : main.querySelector('form').after(box);
        status.textContent = '';
      } catch (error) { status.textContent = error.message; }
    }

    async function row(here, isCurrent) {
      shown = null;
      const up = element('p', {}, element('a', { href: address(here.entity) }, `← ${here.entity}`));
      let found;
      try { found = await ask('row', { entity: here.entity, row: here.row }); } catch (error) {
        if (error.status !== 404) throw error;
        if (isCurrent()) show(up, element('h2', {}, `${here.entity} #${here.row}`), element('p', { role: 'alert' }, 'There is no such row. It may have been deleted.'));
        return;
      }
      if (!isCurrent()) return;
      const facts = found.fields.map(([name, text]) => [element('dt', {}, name), element('dd', {}, text === null ? element('span', { class: 'nil' }, 'nil') : text)]);
      const links = found.relationships.map(one => {
        const targets = one.rows.map((number, at) => element('a', { href: rowAddress(one.target, number) }, one.keys[at]));
        const more = one.count - one.rows.length;
        return [element('dt', {}, one.name), element('dd', {},
          one.isToMany ? element('span', { class: 'faint' }, `${count(one.count)} of ${one.target} `) : null,
          targets.length ? targets : one.isToMany ? null : element('span', { class: 'nil' }, 'nil'),
          more > 0 ? element('span', { class: 'faint' }, `and ${count(more)} more`) : null)];
      });
      show(up,
        element('h2', {}, `${found.entity} #${found.row}`), element('dl', {}, facts),
        links.length ? element('h3', {}, 'Relationships') : null, links.length ? element('dl', {}, links) : null);
      main.focus();
    }

    // History, sizes, models

    // A function 'history' would hide the browser's own history.
    async function transactions(here, isCurrent) {
      const found = await ask('history', { entity: here.entity, limit: 50 });
      if (!isCurrent()) return;
      const items = found.transactions.map(one => element('div', { class: 'change' },
        element('strong', {}, `Transaction ${count(one.transaction)}`), ' ',
        element('span', { class: 'faint' }, `${one.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}  ${one.author || ''}${one.program ? ` (${one.program} ${one.process})` : ''}`),
        element('ul', {}, one.isCatalogChanged ? element('li', {}, 'The models changed.') : null, one.changes.slice(0, 100).map(change => {
          const link = number => element('a', { href: rowAddress(change.entity, number) }, `#${number}`);
          const many = change.last - change.first + 1, most = 8;
          // A deleted row has no page.
          const rows = change.kind === 'delete' ? [many === 1 ? `#${change.first}` : `#${change.first} to #${change.last}`]
            : many <= most ? Array.from({ length: many }, (_, at) => [at ? ', ' : '', link(change.first + at)])
            : [link(change.first), ' to ', link(change.last), ` (${plural(many, 'row')})`];
          const values = change.values ? Object.entries(change.values).map(([name, text]) => `${name} = ${text === null ? 'nil' : text}`).join(', ') : '';
          return element('li', {}, element('span', { class: change.kind }, change.kind), ` ${change.entity} `, rows,
            change.properties ? element('span', { class: 'faint' }, ` ${change.properties.join(', ')}`) : null,
            values ? element('div', { class: 'faint' }, values) : null);
        }), one.changes.length > 100 ? element('li', { class: 'faint' }, `and ${count(one.changes.length - 100)} more`) : null)));
      show(element('h2', {}, here.entity ? `History of ${here.entity}` : 'History'), here.entity ? element('p', {}, element('a', { href: '#/history' }, 'All entities')) : null,
        items.length ? items : element('p', { class: 'faint' }, 'No transaction is known.'));
    }

    async function sizes(here, isCurrent) {
      const found = await ask('sizes');
      if (!isCurrent()) return;
      const kinds = Object.entries(found.pagesByKind).filter(([, pages]) => pages > 0);
      const strip = element('div', { class: 'strip', role: 'img', 'aria-label': kinds.map(([kind, pages]) => `${kind}: ${pages} pages`).join(', ') });
      for (const [kind, pages] of kinds) { const part = element('div', { class: kind }); part.style.flex = `${pages} 0 0`; strip.append(part); }
      const most = Math.max(1, ...found.parts.map(part => part.pages));
      const lines = found.parts.filter(part => part.pages > 0).sort((a, b) => b.pages - a.pages).map(part => {
        const fill = element('div', { class: part.kind in { rows: 1, index: 1, large: 1, history: 1 } ? part.kind : 'other' });
        fill.style.width = `${100 * part.pages / most}%`;
        return element('tr', {}, element('td', {}, part.name), element('td', {}, element('div', { class: 'gauge' }, fill)),
          element('td', { class: 'number' }, bytes(part.pages * 4096)), element('td', { class: 'number' }, count(part.entries)),
          element('td', { class: 'number' }, `${Math.round(100 * part.fill)} %`));
      });
      show(element('h2', {}, `${bytes(found.pages * 4096)} in ${plural(found.pages, 'page')}`), strip,
        element('p', {}, kinds.map(([kind, pages]) => element('span', { class: 'key' }, element('i', { class: kind }), `${kind} ${bytes(pages * 4096)}`))),
        element('div', { class: 'scroll' }, element('table', {}, element('thead', {}, element('tr', {}, ['tree', '', 'size', 'entries', 'full'].map((name, at) => element('th', { class: at > 1 && 'number' }, name)))), element('tbody', {}, lines))));
    }
    function bytes(number) {
      for (const unit of ['bytes', 'KiB', 'MiB', 'GiB']) { if (number < 1024) return `${number < 10 && unit !== 'bytes' ? number.toFixed(1) : Math.round(number)} ${unit}`; number /= 1024; }
      return `${number.toFixed(1)} TiB`;
    }

    async function models(here, isCurrent) {
      const found = await ask('schema');
      if (isCurrent()) show(element('pre', {}, found.lines.join('\n')));
    }

    // Keys

    addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.tagName === 'INPUT') { if (event.key === 'Escape') { event.target.blur(); main.focus(); } return; }
      const press = id => { const button = document.getElementById(id); if (button && !button.disabled) button.click(); };
      switch (event.key) {
        case '/': { const where = document.getElementById('where'); if (where) { event.preventDefault(); where.focus(); where.select(); } break; }
        case 'r': go(); break;
        case 'e': { const one = document.querySelector('#entities a[aria-current]') || document.querySelector('#entities a'); if (one) one.focus(); break; }
        case 'n': press('next'); break;
        case 'p': press('previous'); break;
        case 'Escape': if (status.textContent) status.textContent = ''; else if (place().view === 'row') history.back(); break;
        case 'ArrowDown': case 'ArrowUp': case 'Home': case 'End': case 'j': case 'k': {
          const isList = document.activeElement.closest && document.activeElement.closest('#entities');
          const lines = [...(isList ? isList.querySelectorAll('a') : main.querySelectorAll('tbody tr[tabindex], dd a, li a'))];
          if (!lines.length) break;
          event.preventDefault();
          const at = lines.indexOf(document.activeElement), last = lines.length - 1;
          const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
          const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : at < 0 ? 0 : Math.max(0, Math.min(last, at + step));
          lines[to].focus();
          break;
        }
        case '1': case '2': case '3': case '4': document.querySelectorAll('#views a')[Number(event.key) - 1].click(); break;
      }
    });
    addEventListener('hashchange', go);
    go();
    """#
}
