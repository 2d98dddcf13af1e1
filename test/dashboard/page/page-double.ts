/** As much of a browser's document as a dialog of the page needs, and answers that come when the test says so. */
import { onTestFinished } from 'vitest'

class Part {
  textContent = ''
  className = ''
  value = ''
  hidden = false
  disabled = false
  open = false
  children: Part[] = []
  readonly #listeners: (() => unknown)[] = []

  append(...parts: Part[]): void {
    this.children.push(...parts)
  }

  replaceChildren(...parts: Part[]): void {
    this.children = parts
  }

  setAttribute(): void {}

  addEventListener(_: string, listener: () => unknown): void {
    this.#listeners.push(listener)
  }

  click(): void {
    for (const listener of this.#listeners) void listener()
  }

  showModal(): void {
    this.open = true
  }

  /** All that is below. */
  get text(): string {
    return [this.textContent, ...this.children.map((child) => child.text)].join(' ').trim()
  }
}

/** Stands in for the document until the test ends. */
export function pageDouble() {
  const parts = new Map<string, Part>()
  const part = (id: string): Part => {
    const found = parts.get(id) ?? new Part()
    parts.set(id, found)
    return found
  }
  const asked: { readonly path: string; readonly answer: (response: Response | Error) => void }[] = []
  const before = [globalThis.document, globalThis.fetch] as const
  Object.assign(globalThis, {
    document: { getElementById: part, createElement: () => new Part() },
    fetch: (path: string) =>
      new Promise<Response>((resolve, reject) => {
        asked.push({ path, answer: (given) => (given instanceof Error ? reject(given) : resolve(given)) })
      }),
  })
  onTestFinished(() => {
    Object.assign(globalThis, { document: before[0], fetch: before[1] })
  })
  return {
    part,
    /** Answers what was asked for so. */
    answer: async (path: string, response: Response | Error): Promise<void> => {
      const [found] = asked.filter((one) => one.path === path)
      if (found === undefined) throw new Error(`nobody asked for "${path}"`)
      asked.splice(asked.indexOf(found), 1)
      found.answer(response)
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    },
  }
}
