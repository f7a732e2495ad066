/** Listens to the streams of feeds: by one connection for each address, however many calendars want it, while the page is seen. */

/** After an event, so that not all pages ask at once. */
const MAX_DELAY_MS = 500;
/** Browsers give up on a stream that is refused. Like what could not be shown, it is tried again after this, or up to twice as long. */
const REFUSED_MS = 30_000;

/** Whether what there is to see could be shown. */
type Listener = () => Promise<boolean>;

interface Stream {
  readonly listeners: Set<Listener>;
  end(): void;
}

const streams = new Map<string, Stream>();

/** Calls a function when there is something else to see at the address of a feed. Returns what ends that. */
export function listenTo(address: string, call: Listener): () => void {
  const stream = streams.get(address) ?? openStream(address);
  streams.set(address, stream);
  stream.listeners.add(call);
  return () => {
    stream.listeners.delete(call);
    if (stream.listeners.size > 0) return;
    stream.end();
    streams.delete(address);
  };
}

function openStream(address: string): Stream {
  const listeners = new Set<Listener>();
  let source: EventSource | undefined;
  let seenId: string | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;

  function close(): void {
    clearTimeout(retrying);
    source?.close();
    source = undefined;
  }

  function tellAfter(ms: number): void {
    clearTimeout(telling);
    telling = setTimeout(async () => {
      telling = undefined;
      const shown = await Promise.all(Array.from(listeners, (call) => call()));
      // No other event tells of it.
      if (shown.includes(false) && telling === undefined) tellAfter(REFUSED_MS * (1 + Math.random()));
    }, ms);
  }

  function follow(): void {
    close();
    if (document.hidden) return;
    source = new EventSource(address);
    source.addEventListener('shifts', ({ lastEventId }) => {
      if (lastEventId === seenId) return;
      seenId = lastEventId;
      tellAfter(Math.random() * MAX_DELAY_MS);
    });
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      retrying = setTimeout(follow, REFUSED_MS * (1 + Math.random()));
    });
  }

  document.addEventListener('visibilitychange', follow);
  follow();
  return {
    listeners,
    end() {
      document.removeEventListener('visibilitychange', follow);
      clearTimeout(telling);
      close();
    },
  };
}
