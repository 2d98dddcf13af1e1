import {
  aCandidate,
  afterClaim,
  afterEvent,
  afterFailure,
  afterRead,
  claimOf,
  DEFAULT_LEASE_TIMINGS,
  type LeaseCandidate,
  type LeaseObservation,
  type LeaseRecord,
  leads,
  nextMove,
  releaseOf,
  resigned,
} from '../../../src/controller/leadership/election.ts'

/** What becomes of a request, in milliseconds of true time; what is late is late for whoever waits, and still happens. */
export interface Fate {
  readonly there: number
  readonly back: number
  readonly lost: 'nothing' | 'request' | 'answer'
}

export interface Temper {
  /** How much faster than true time its clock runs. */
  readonly rate: number
  /** How far its clocks are off. */
  readonly offset: number
}

/** Milliseconds of its own clock after which a process gives a request up. */
const PATIENCE = 5000

type Found = Omit<LeaseObservation, 'since'>
type Answer = { readonly kind: 'ok'; readonly found: Found } | { readonly kind: 'conflict' }

/** A Lease on a server, which compares versions and knows nothing of time. */
class LeaseServer {
  #record: LeaseRecord | undefined
  #version = 0

  read(): Answer {
    return { kind: 'ok', found: this.#record ? { record: this.#record, version: String(this.#version) } : {} }
  }

  write(record: LeaseRecord, version: string | undefined): Answer {
    const expected = this.#record ? String(this.#version) : undefined
    if (version !== expected) return { kind: 'conflict' }
    // Equal content makes no new version.
    if (JSON.stringify(record) !== JSON.stringify(this.#record)) this.#version += 1
    this.#record = record
    return this.read()
  }
}

interface Request {
  readonly sentAt: number
  readonly writes: boolean
  answer?: { readonly at: number; readonly is: Answer }
}

/** Processes that stand for election in virtual time. Each acts only when it is told to: between, it is as if paused. */
export class Voters {
  readonly #server = new LeaseServer()
  readonly #voters: Voter[]
  #now = 0
  #late: { readonly at: number; readonly happen: () => void }[] = []

  constructor(tempers: readonly Temper[]) {
    this.#voters = tempers.map((temper, index) => new Voter(`v${index}`, temper))
  }

  /** How many believe to lead. */
  get leaders(): number {
    return this.#voters.filter((voter) => voter.leads(this.#now)).length
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds
    for (const { happen } of this.#late.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at)) happen()
    this.#late = this.#late.filter(({ at }) => at > this.#now)
  }

  act(index: number, fate: Fate): void {
    const voter = this.#voters[index % this.#voters.length]
    const send = voter?.act(this.#now)
    if (voter && send) this.#deliver(voter.await(this.#now, send.writes), { send: send.to, fate })
  }

  /** Ceases to lead, hands the lease over, and comes back as another process. */
  leave(index: number, fate: Fate): void {
    const at = index % this.#voters.length
    const voter = this.#voters[at]
    const send = voter?.leave(this.#now)
    if (voter && send) this.#deliver(voter.await(this.#now, true), { send: send.to, fate })
    if (voter) this.#voters[at] = voter.successor()
  }

  #deliver(request: Request, { send, fate }: { readonly send: (server: LeaseServer) => Answer; readonly fate: Fate }): void {
    const { there, back, lost } = fate
    if (lost === 'request') return
    const arrive = (): void => {
      const is = send(this.#server)
      if (lost === 'nothing') request.answer = { at: this.#now + back, is }
    }
    if (there === 0) arrive()
    else this.#late.push({ at: this.#now + there, happen: arrive })
  }
}

interface Sending {
  readonly writes: boolean
  readonly to: (server: LeaseServer) => Answer
}

class Voter {
  readonly #name: string
  readonly #temper: Temper
  #candidate: LeaseCandidate
  #request: Request | undefined

  constructor(name: string, temper: Temper) {
    this.#name = name
    this.#temper = temper
    this.#candidate = aCandidate(name, DEFAULT_LEASE_TIMINGS)
  }

  leads(now: number): boolean {
    return leads(this.#candidate, this.#clock(now))
  }

  successor(): Voter {
    return new Voter(`${this.#name}'`, this.#temper)
  }

  await(now: number, writes: boolean): Request {
    this.#request = { sentAt: this.#clock(now), writes }
    return this.#request
  }

  /** Takes what has come, and says what it sends next. */
  act(now: number): Sending | undefined {
    const clock = this.#clock(now)
    if (this.#request && !this.#settle(this.#request, { now, clock })) return undefined
    const move = nextMove(this.#candidate, clock)
    if (move.kind === 'wait') return undefined
    if (move.kind === 'look') return { writes: false, to: (server) => server.read() }
    const claim = claimOf(this.#candidate, clock)
    return { writes: true, to: (server) => server.write(claim, move.version) }
  }

  leave(now: number): Sending | undefined {
    const { observation } = this.#candidate
    this.#candidate = resigned(this.#candidate)
    if (observation?.record?.holder !== this.#name) return undefined
    const release = releaseOf(this.#candidate, this.#clock(now))
    return { writes: true, to: (server) => server.write(release, observation.version) }
  }

  /** @returns whether it is rid of the request */
  #settle(request: Request, { now, clock }: { readonly now: number; readonly clock: number }): boolean {
    const { answer, sentAt, writes } = request
    const came = answer !== undefined && answer.at <= now && clock - sentAt < PATIENCE
    if (!came && clock - sentAt < PATIENCE) return false
    this.#request = undefined
    if (!came) this.#candidate = afterFailure(this.#candidate, clock)
    else if (answer.is.kind === 'conflict') this.#candidate = afterEvent(this.#candidate)
    else if (writes) this.#candidate = afterClaim(this.#candidate, answer.is.found, { sentAt, now: clock })
    else this.#candidate = afterRead(this.#candidate, answer.is.found, clock)
    return true
  }

  #clock(now: number): number {
    return this.#temper.offset + now * this.#temper.rate
  }
}
