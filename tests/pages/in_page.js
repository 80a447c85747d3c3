// Runs in the page that is looked at: what only the page itself can say. Everything here is
// synchronous, because with JavaScript off neither timers nor promises run, and keeps what it has
// seen for the walk by keyboard. Each check returns a list of complaints.
globalThis[Symbol.for('tidemill.look')] = (() => {
  const smallest = 11;
  const view = document.documentElement;

  function excerpt(text) {
    const line = text.trim().replace(/\s+/g, ' ');
    return line.length > 40 ? `${line.slice(0, 39)}…` : line;
  }
  function describe(element) {
    const id = element.id && `#${element.id}`;
    const names = [...element.classList].map((name) => `.${name}`).join('');
    const text = excerpt(element.textContent ?? '');
    return `<${element.localName}${id}${names}>${text && ` "${text}"`}`;
  }
  // The first few, so that a page with one fault in each row stays readable.
  function some(elements, most = 3) {
    const list = [...elements];
    const more = list.length > most ? `, and ${list.length - most} more` : '';
    return list.slice(0, most).map(describe).join(', ') + more;
  }
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })
    && element.getClientRects().length > 0;

  // ---- layout
  function scrollsItself(element) {
    for (let at = element.parentElement; at && at !== document.body && at !== view; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    }
    return false;
  }
  function overflow() {
    const wide = Math.max(view.scrollWidth, document.body.scrollWidth);
    if (wide <= innerWidth) return [];
    const over = [...document.body.querySelectorAll('*')].filter((element) => (
      element.getBoundingClientRect().right > innerWidth + 0.5 && !scrollsItself(element)));
    return [`is ${wide} px wide in a window of ${innerWidth} px: ${some(over)}`];
  }

  function shownTexts() {
    const texts = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (walker.currentNode.data.trim() && isShown(element)) texts.add(element);
    }
    return texts;
  }
  // The text of a drawing shrinks with the drawing.
  function sizeOf(element) {
    const size = parseFloat(getComputedStyle(element).fontSize);
    const matrix = element instanceof SVGGraphicsElement && element.getScreenCTM();
    return matrix ? size * Math.hypot(matrix.c, matrix.d) : size;
  }
  function smallText() {
    const small = [...shownTexts()].filter((element) => sizeOf(element) < smallest - 0.05);
    if (small.length === 0) return [];
    const least = Math.min(...small.map(sizeOf)).toFixed(1);
    return [`has text of ${least} px, less than ${smallest}: ${some(small)}`];
  }

  // ---- contrast of text in drawings, which axe does not judge
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  function colorOf(text, opacity) {  // [red, green, blue, alpha], null for a pattern or a gradient
    if (text.startsWith('url(')) return null;
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = 'transparent';
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    const [r, g, b, a] = known.get(text);
    return [r, g, b, a * opacity];
  }
  function paintOf(element) {
    const style = getComputedStyle(element);
    if (!(element instanceof SVGGraphicsElement) || element.localName === 'svg') {
      return colorOf(style.backgroundColor, style.opacity);
    }
    if (style.fill === 'none') return [0, 0, 0, 0];
    return colorOf(style.fill, style.opacity * style.fillOpacity);
  }
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
  function luminance(color) {
    const [r, g, b] = color.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  // What lies behind the middle of a text, from the page up to it.
  function groundOf(text) {
    const box = text.getBoundingClientRect();
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const under = stack.filter((element) => !text.contains(element) && element.localName !== 'text');
    const layers = under.map(paintOf).reverse();
    return layers.includes(null) ? null : layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  }
  function contrastOf(text) {
    text.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const ground = groundOf(text);
    const paint = paintOf(text);
    if (!ground || !paint) return Infinity;
    const [a, b] = [luminance(ground), luminance(over(paint, ground))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  function drawnText() {
    const weak = [...shownTexts()].filter((text) => {
      if (!text.closest('svg') || !(text instanceof SVGGraphicsElement)) return false;
      const size = sizeOf(text);
      const isLarge = size >= 24 || (size >= 18.66 && getComputedStyle(text).fontWeight >= 700);
      return contrastOf(text) < (isLarge ? 3 : 4.5);
    });
    if (weak.length === 0) return [];
    const least = Math.min(...weak.map(contrastOf)).toFixed(2);
    return [`has text in a drawing with a contrast of ${least}, less than 4.5: ${some(weak)}`];
  }

  // ---- what would be loaded, also by what no view has shown: a lazy picture, a hint to connect
  function isElsewhere(link) {
    let url;
    try {
      url = new URL(link, document.baseURI);
    } catch {
      return true;
    }
    if (['data:', 'blob:', 'about:'].includes(url.protocol) || link.startsWith('#')) return false;
    return location.protocol === 'file:' || url.origin !== location.origin;
  }
  function elsewhere() {
    const loaded = [];
    const loading = '[src], [srcset], [poster], object[data], link[href], image, use';
    for (const element of document.querySelectorAll(loading)) {
      const lists = (element.getAttribute('srcset') ?? '').split(/,\s+/).map((part) => part.trim().split(/\s/)[0]);
      const links = ['src', 'poster', 'data', 'href', 'xlink:href'].map((name) => element.getAttribute(name));
      for (const link of [...links, ...lists]) {
        if (link && isElsewhere(link)) loaded.push(`<${element.localName}> ${link}`);
      }
    }
    return loaded.map((what) => `names something outside of it: ${what}`);
  }
  // Without this a telephone shows the page as on a desk, and the narrow views say nothing about it.
  function viewport() {
    const meta = document.querySelector('meta[name=viewport]')?.content ?? '';
    return /width\s*=\s*device-width/.test(meta) ? [] : ['lacks <meta name="viewport" content="width=device-width">'];
  }

  // ---- by keyboard
  function looksOf(element) {
    const style = getComputedStyle(element);
    for (const animation of element.getAnimations()) {
      try { animation.finish(); } catch { /* one without an end */ }
    }
    const [, , , alpha] = colorOf(style.outlineColor, 1);
    const outline = style.outlineStyle === 'none' || parseFloat(style.outlineWidth) === 0 || alpha === 0
      ? 'none' : [style.outlineStyle, style.outlineWidth, style.outlineColor].join(' ');
    return [outline, style.boxShadow, style.backgroundColor, style.borderColor, style.borderWidth,
      style.textDecorationLine, style.stroke, style.fill].join('; ');
  }
  const isStop = (element) => (
    element.tabIndex >= 0 && !element.matches(':disabled, [type=radio], [inert] *, dialog, iframe'));
  const asides = new Map();  // how each looks while the focus is elsewhere
  const stops = new Set();
  const shut = new Set();

  function prepareWalk() {
    document.activeElement?.blur();
    for (const element of document.querySelectorAll('*')) {
      if (isStop(element)) asides.set(element, looksOf(element));
    }
  }
  // After Tab: nothing at the end of the page, {again: true} at a place that was visited.
  function stop() {
    const element = document.activeElement;
    if (!element || element === document.body || element === view) return null;
    if (stops.has(element)) return { again: true };
    stops.add(element);
    const complaints = [];
    const box = element.getBoundingClientRect();
    const isInSight = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
      && box.top < innerHeight && box.left < innerWidth;
    const looks = looksOf(element);
    if (!isInSight) complaints.push(`has the focus out of sight: ${describe(element)}`);
    else if (asides.has(element) ? looks === asides.get(element) : looks.startsWith('none;')) {
      complaints.push(`does not show the focus: ${describe(element)}`);
    }
    const isSummary = element.localName === 'summary' && element.parentElement?.localName === 'details';
    return { complaints, isSummary, isOpen: isSummary && element.parentElement.open };
  }
  function toggled(before) {
    const details = document.activeElement?.closest('details');
    if (details && details.open !== before) return true;
    shut.add(details);
    return false;
  }
  function afterWalk() {
    const complaints = [];
    const visited = new Set([...stops].filter((element) => element.localName === 'summary')
      .map((element) => element.parentElement));
    const never = [...document.querySelectorAll('details')]
      .filter((details) => shut.has(details) || !visited.has(details));
    if (never.length > 0) complaints.push(`has <details> that Tab and Enter do not open: ${some(never)}`);
    const missed = [...asides.keys()].filter((element) => element.localName !== 'summary' && element.isConnected
      && isStop(element) && isShown(element) && !stops.has(element));
    if (missed.length > 0) complaints.push(`has links or controls that Tab does not reach: ${some(missed)}`);
    return complaints;
  }

  function layout() {
    scrollTo({ left: 0, top: 0, behavior: 'instant' });
    return [...overflow(), ...smallText(), ...drawnText()];
  }
  const isBlank = () => shownTexts().size === 0;
  return { layout, isBlank, elsewhere, viewport, prepareWalk, stop, toggled, afterWalk };
})();
