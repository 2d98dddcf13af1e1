import type { RevertPlace } from '../../../src/controller/revert/revert-place.ts'
import type { BranchCommit, OpenedRequest, RevertRequests } from '../../../src/forge/revert/revert-requests.ts'
import { ForgeError } from '../../../src/forge/status/commit-status.ts'

/** Keeps pull requests by branch, may be down, and tells of each change. */
export class FakeForge implements RevertRequests {
  readonly requests = new Map<string, OpenedRequest>()
  readonly commits: BranchCommit[] = []
  /** Branches that somebody else pushed. */
  readonly others = new Set<string>()
  readonly asked: string[] = []
  failure: ForgeError | undefined
  /** Each refuses one commit. */
  readonly refusals: ForgeError[] = []
  /** What is done once while its answer is lost. */
  readonly lost = new Set<'commit' | 'open'>()
  #waiting = new Set<() => void>()

  async find({ branch }: { readonly branch: string }) {
    this.#note(`find ${branch}`)
    this.#fail()
    return this.requests.get(branch)
  }

  async commit(commit: BranchCommit) {
    this.#note(`commit ${commit.branch}`)
    this.#fail()
    const refusal = this.refusals.shift()
    if (refusal) throw refusal
    const isNew = !this.others.has(commit.branch) && !this.commits.some(({ branch }) => branch === commit.branch)
    if (isNew) this.commits.push(commit)
    this.#lose('commit')
    return isNew
  }

  async open({ branch, body }: { readonly branch: string; readonly body: string }) {
    this.#note(`open ${branch}`)
    this.#fail()
    const url = `https://git.example.com/pulls/${this.requests.size + 1}`
    this.requests.set(branch, { number: this.requests.size + 1, url, isOpen: true, body })
    this.#lose('open')
    return url
  }

  async close({ number, body }: Pick<OpenedRequest, 'number' | 'body'>) {
    this.#note(`close ${number}`)
    for (const [branch, request] of this.requests)
      if (request.number === number) this.requests.set(branch, { ...request, isOpen: false, body })
    this.#look()
  }

  /** Resolves when it is as wanted. */
  async until(wanted: () => boolean): Promise<void> {
    while (!wanted()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  #fail(): void {
    this.#look()
    if (this.failure) throw this.failure
  }

  #lose(what: 'commit' | 'open'): void {
    this.#look()
    if (this.lost.delete(what)) throw new ForgeError('https://git.example.com: socket hang up')
  }

  #note(line: string): void {
    this.asked.push(line)
    this.#look()
  }

  #look(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const look of waiting) look()
  }
}

export function aPlace(requests: RevertRequests): RevertPlace {
  return { requests, base: 'main', folder: 'fleet', context: 'nodewave' }
}
