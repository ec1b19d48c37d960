import { PageHead } from '../../parts/surfaces.tsx'
import { session } from '../../state/session.ts'
import { Passkeys } from './passkeys.tsx'
import { Password, Profile } from './profile.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

/** The page of the signed-in person: profile, password and second factor, sessions and tokens. */
export default function Account() {
  const { person } = session.value!
  return (
    <div class="page narrow">
      <PageHead title="Your account" about={person.email} />
      <Profile />
      <Password />
      <SecondFactor />
      <Passkeys />
      <Sessions />
      <Tokens />
    </div>
  )
}
