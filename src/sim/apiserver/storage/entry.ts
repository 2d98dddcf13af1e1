import type { ApiObject } from '../api-object.ts'
import { objectKey } from '../api-object.ts'

/** One version of one object. Its JSON is made once, however many lists and watches it goes to. */
export class Entry {
  readonly key: string
  readonly revision: number
  readonly object: ApiObject
  #text: string | undefined
  #headLength: number | undefined

  constructor(object: ApiObject, revision: number) {
    this.key = objectKey(object)
    this.revision = revision
    this.object = object
  }

  get text(): string {
    if (this.#text === undefined) {
      const { kind, apiVersion, ...rest } = this.object
      this.#text = JSON.stringify({ kind, apiVersion, ...rest })
    }
    return this.#text
  }

  /** For versions that were replaced: the history keeps the object, and its text can be made again. */
  dropText(): void {
    this.#text = undefined
  }

  /** Without kind and apiVersion, as the items of lists of built-in kinds come. */
  get itemText(): string {
    const { kind, apiVersion } = this.object
    this.#headLength ??= JSON.stringify({ kind, apiVersion }).length
    return `{${this.text.slice(this.#headLength)}`
  }
}
