import type { FollowEvent } from '../../kube/kube-api.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { GroupedItems } from './grouped-items.ts'

export interface Cached {
  readonly name: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly resourceVersion: string
}

/**
 * One collection of the API server as last seen, by name: what its watch sent, and the answers to our own writes, which are
 * put in at once, so that a decision made before the watch catches up does not repeat them.
 */
export class ObjectCache<T extends Cached> {
  readonly #items: GroupedItems<T>
  /** Objects whose next version must be looked at even if nothing visible changed: a write was refused for being based on an old one. */
  readonly #stale = new Set<string>()
  readonly #changed: (item?: T) => void
  /** The watch has told of everything up to this version, also of what is gone. Absent: its lists name no version, so none can be compared. */
  #toldTo: string | undefined
  /** Names of what a list of that version did not have, until the watch has told as much. */
  readonly #goneBy = new Map<string, string>()
  /** What was put in, or found gone, while the watch reads a full list, which may be older; absent: it reads none. */
  #sinceList: Set<string> | undefined

  /**
   * @param changed called whenever something visible changed, and what: the item as it is or was; absent: any of them. A heartbeat that only
   * moves resourceVersion is not visible.
   * @param keyOf what `group` finds items by
   */
  constructor(changed: (item?: T) => void, keyOf: (item: T) => string | undefined = () => undefined) {
    this.#changed = changed
    this.#items = new GroupedItems(keyOf)
  }

  get items(): ReadonlyMap<string, T> {
    return this.#items.byName
  }

  /** The same array for as long as nothing changes. */
  get all(): readonly T[] {
    return this.#items.all
  }

  get(name: string): T | undefined {
    return this.items.get(name)
  }

  /** Those with this key. */
  group(key: string): Iterable<T> {
    return this.#items.group(key)
  }

  /** The item of this version, if that is the one that is here: then there is nothing new to read. */
  known({ name, resourceVersion }: { readonly name: string; readonly resourceVersion?: string }): T | undefined {
    const item = this.get(name)
    return item?.resourceVersion === resourceVersion ? item : undefined
  }

  /** The watch asks for a full list. */
  listing(): void {
    this.#sinceList = new Set()
  }

  /** What the watch tells. */
  observe(event: FollowEvent<T>): void {
    if (event.type === 'sync') this.#replace(event)
    else if (event.type === 'delete') this.#remove(event)
    else if (!this.#isGone(event.item)) this.#put(event.item)
    this.#toldTo = versionToldTo(event, this.#toldTo)
    for (const [name, by] of this.#goneBy) if (isToldTo(by, this.#toldTo)) this.#goneBy.delete(name)
  }

  /**
   * Takes in what a list says that is newer than what the watch has sent so far. What the watch sent meanwhile is newer still, and
   * what it reported as gone is not brought back: nothing would ever take it away again.
   * @returns whether anything visible changed with it
   * @throws what `list` rejects with; then nothing has changed
   */
  async catchUp(list: () => Promise<readonly T[]>): Promise<boolean> {
    let isNews = false
    for (const item of await list()) if (!this.#isPast(item)) isNews = this.#put(item) || isNews
    return isNews
  }

  /**
   * What the server answered to a write of ours; not a change to tell of, since the one who wrote knows. An answer may come later than what the
   * watch tells of the same write, and of the deletion that followed.
   */
  wrote(item: T): void {
    if (!this.#isPast(item)) this.#set(item)
  }

  /**
   * What we deleted ourselves, as it was known, and not what was created again since. An event of the watch that is still on its way may bring it
   * back for a moment, which does no harm.
   */
  deleted(known: Pick<Cached, 'name' | 'resourceVersion'>): void {
    if (!isOlder(known, this.get(known.name))) this.#items.delete(known.name)
  }

  /** A list of this version does not have it. The watch, which may be behind, may go on to tell what it was before; that does not bring it back. */
  gone(name: string, version: string): void {
    if (isOlder({ resourceVersion: version }, this.get(name))) return
    this.#goneBy.set(name, version)
    this.#sinceList?.add(name)
    const item = this.#items.delete(name)
    if (item) this.#changed(item)
  }

  /** A write that was based on `resourceVersion` was refused. As soon as a newer version is here, that is a change. */
  refused(name: string, resourceVersion: string): void {
    const item = this.get(name)
    if (item?.resourceVersion === resourceVersion) this.#stale.add(name)
    else this.#changed(item)
  }

  /** @returns whether that is visible */
  #put(item: T): boolean {
    const known = this.get(item.name)
    if (item === known || isOlder(item, known)) return false
    const kept = known && sameButVersion(known, item)
    this.#set(kept ? { ...known, resourceVersion: item.resourceVersion } : item)
    if (this.#stale.delete(item.name) || !kept) this.#changed(item)
    return !kept
  }

  /** Not what was created again since: the watch may be behind. */
  #remove({ name, resourceVersion }: Extract<FollowEvent<T>, { type: 'delete' }>): void {
    if (resourceVersion !== undefined && isOlder({ resourceVersion }, this.get(name))) return
    this.#stale.delete(name)
    const item = this.#items.delete(name)
    if (item) this.#changed(item)
  }

  /**
   * A full list replaces everything, also what is newer: etcd may have been restored from a backup. But not what was written, or found gone,
   * while the list was on its way: a status that the list shows as it was before would be decided upon once more.
   */
  #replace({ items, resourceVersion }: Extract<FollowEvent<T>, { type: 'sync' }>): void {
    for (const name of [...this.#goneBy.keys()]) if (!this.#sinceList?.has(name)) this.#goneBy.delete(name)
    const listed = new Map(items.filter((item) => !this.#isGone(item)).map((item) => [item.name, item]))
    for (const item of this.#newerThan(resourceVersion)) listed.set(item.name, item)
    this.#items.clear()
    this.#stale.clear()
    for (const item of listed.values()) this.#items.set(item)
    this.#changed()
  }

  /** What came since the list was asked for, and was written after it was made: if it is deleted, the watch from there on says so. */
  #newerThan(resourceVersion: string | undefined): T[] {
    const since = [...(this.#sinceList ?? [])].flatMap((name) => this.get(name) ?? [])
    this.#sinceList = undefined
    return resourceVersion === undefined ? [] : since.filter((item) => isOlder({ resourceVersion }, item))
  }

  #set(item: T): void {
    this.#sinceList?.add(item.name)
    this.#items.set(item)
  }

  /** What is here is newer, or the watch or a list has told that it is gone. */
  #isPast(item: T): boolean {
    const known = this.get(item.name)
    return known ? isOlder(item, known) : isToldTo(item.resourceVersion, this.#toldTo) || this.#isGone(item)
  }

  #isGone({ name, resourceVersion }: T): boolean {
    return isToldTo(resourceVersion, this.#goneBy.get(name))
  }
}

function isToldTo(resourceVersion: string, told: string | undefined): boolean {
  return told !== undefined && !isOlder({ resourceVersion: told }, { resourceVersion })
}

/** A watch tells of the changes of a collection in the order of their versions. */
function versionToldTo<T extends Cached>(event: FollowEvent<T>, before: string | undefined): string | undefined {
  if (event.type === 'sync') return event.resourceVersion
  if (before === undefined) return undefined
  return event.type === 'delete' ? (event.resourceVersion ?? before) : event.item.resourceVersion
}

type Versioned = Pick<Cached, 'resourceVersion'>

/** Resource versions of one collection are decimal numbers that grow. An API server that has others gets no protection from late events. */
function isOlder(item: Versioned, known: Versioned | undefined): boolean {
  if (!known) return false
  const [a, b] = [item.resourceVersion, known.resourceVersion]
  return a.length === b.length ? a < b : a.length < b.length
}

/** Most that are not the same differ in one field: the rest is not compared, and nothing is copied. */
function sameButVersion(a: Cached, b: Cached): boolean {
  const fields = Object.keys(a) as (keyof Cached)[]
  if (fields.length !== Object.keys(b).length) return false
  return fields.every((field) => field === 'resourceVersion' || (Object.hasOwn(b, field) && isSameData(a[field], b[field])))
}
