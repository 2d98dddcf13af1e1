/** Time as this folder needs it; tests move it by hand. */
export interface Timers {
  /** Calls once after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, call: () => void): () => void
}

export const systemTimers: Timers = {
  after(milliseconds, call) {
    const handle = setTimeout(call, milliseconds)
    return () => clearTimeout(handle)
  },
}
