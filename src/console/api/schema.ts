// Made of the interface document by npm run openapi.
export interface paths {
    "/admin/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the first owner with the one-time address that the server prints
         * @description Works while there is nobody else. The address is in the output of `appsvc serve`, and works for 30 minutes.
         */
        post: operations["postAdminV1Setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your open sessions
         * @description Only those that are open.
         */
        get: operations["getAdminV1Sessions"];
        put?: never;
        /**
         * Sign in with e-mail address and password, and with a code where the second factor is on
         * @description The cookie is `HttpOnly` and `SameSite=Strict`. The session ends after 12 hours without use, and after 7 days at the latest. An unknown address and a wrong password get the same answer after the same time.
         */
        post: operations["postAdminV1Sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say how people sign in here
         * @description Needs no credentials. `setup` is true as long as nobody can sign in.
         */
        get: operations["getAdminV1State"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a one-time address: of an invitation, of a forgotten password, of the demo
         * @description An invitation and a forgotten password need a new `password`. A forgotten password ends all sessions, personal tokens and the second factor.
         */
        post: operations["postAdminV1SessionsLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in with a passkey: what the browser needs
         * @description Give the answer to `navigator.credentials.get`. It works for five minutes, once.
         */
        post: operations["postAdminV1SessionsPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description A passkey needs neither a name nor a second factor: the device asks for a PIN or a fingerprint.
         */
        post: operations["postAdminV1SessionsPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a fresh sign-in with a passkey: what the browser needs
         * @description Give the answer to `navigator.credentials.get`. It works for five minutes, once.
         */
        post: operations["postAdminV1SessionConfirmOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove again who you are: for ten minutes, what asks for a fresh sign-in is allowed
         * @description Give either `password` (with `code` where the second factor is on) or `response`.
         */
        post: operations["postAdminV1SessionConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who is signed in and what they may do
         * @description Answers for a personal token too; then `freshUntil` and `expires` are null.
         */
        get: operations["getAdminV1Session"];
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description The session stops working at once.
         */
        delete: operations["deleteAdminV1Session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description That browser has to sign in again.
         */
        delete: operations["deleteAdminV1SessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your name or your password
         * @description An absent field stays as it is. A new password needs `currentPassword`, and ends your other sessions.
         */
        put: operations["putAdminV1Me"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Switch the second factor on with a code of the app; the answer alone has the recovery codes
         * @description Each recovery code works once, in place of a code of the app.
         */
        put: operations["putAdminV1MeTotp"];
        /**
         * Begin a second factor: a secret for an authenticator app
         * @description It counts once `PUT` has seen a code of the app.
         */
        post: operations["postAdminV1MeTotp"];
        /**
         * Switch the second factor off
         * @description The recovery codes end, too.
         */
        delete: operations["deleteAdminV1MeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description In the order in which they were added.
         */
        get: operations["getAdminV1MePasskeys"];
        put?: never;
        /**
         * Add the passkey that the browser made
         * @description At most twenty for each person.
         */
        post: operations["postAdminV1MePasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a passkey: what the browser needs to make one
         * @description Give the answer to `navigator.credentials.create`. It works for five minutes, once.
         */
        post: operations["postAdminV1MePasskeysOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of your passkeys
         * @description The device may still offer it; it signs nobody in any more.
         */
        delete: operations["deleteAdminV1MePasskeysById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your personal tokens
         * @description Without the tokens themselves.
         */
        get: operations["getAdminV1MeTokens"];
        put?: never;
        /**
         * Make a personal token; the answer alone has it
         * @description The token may do what its scopes name and its person may do. `confirmed` opens what asks others for a fresh sign-in. A personal token cannot make another one.
         */
        post: operations["postAdminV1MeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of your personal tokens: it stops working at once
         * @description Programs that use it get 401.
         */
        delete: operations["deleteAdminV1MeTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people who may use the admin interface
         * @description In the order in which they were added. `next` is null on the last page.
         */
        get: operations["getAdminV1Admins"];
        put?: never;
        /**
         * Invite somebody; the answer alone has the one-time address for them
         * @description Send the address to that person: it works once, for 30 minutes. `POST …/reset` makes another one.
         */
        post: operations["postAdminV1Admins"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change what somebody may do
         * @description Replaces all roles of the person, from their next call on.
         */
        put: operations["putAdminV1AdminsByIdRoles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a one-time address with which somebody chooses a new password
         * @description The present password works until the address is used. Then sessions, personal tokens and the second factor end.
         */
        post: operations["postAdminV1AdminsByIdReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take all access away from somebody, at once
         * @description Sessions, passkeys and personal tokens of the person end.
         */
        delete: operations["deleteAdminV1AdminsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log, the newest first
         * @description Who did what, when and from where. Rows are kept for `audit.retentionDays`, and never changed.
         */
        get: operations["getAdminV1Audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the apps that you have a role in
         * @description Apps in which you have no role are left out.
         */
        get: operations["getAdminV1Apps"];
        put?: never;
        /**
         * Create an app; the answer alone has its keys
         * @description An `Idempotency-Key` has no effect here, because a stored answer would hold the keys.
         */
        post: operations["postAdminV1Apps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an app
         * @description Its name and when it was made.
         */
        get: operations["getAdminV1AppsByAppId"];
        put?: never;
        post?: never;
        /**
         * Delete an app with everything that belongs to it
         * @description Its keys end and nothing more is sent for it. Then its rows are deleted in small steps, which takes minutes for a large app; the answer comes at the end. If it breaks off, repeat it.
         */
        delete: operations["deleteAdminV1AppsByAppId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * FieldErrors
         * @description What is wrong, by the dotted path of each field as the caller wrote it. The empty path is the whole body.
         */
        FieldErrors: {
            [key: string]: string[];
        };
        /**
         * NewOwner
         * @description The first owner.
         */
        NewOwner: {
            /**
             * @description What stands behind `#token=` in the one-time address.
             * @example once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description At least 15 characters.
             * @example correct horse battery staple
             */
            password: string;
        };
        /**
         * AdminSession
         * @description Who is signed in, and what they may do.
         */
        AdminSession: {
            /** @description Who is signed in. */
            person: components["schemas"]["SignedInPerson"];
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /** @description What follows from the roles. */
            rights: components["schemas"]["AdminRights"];
            /**
             * @description Until when what asks for a fresh sign-in is allowed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            freshUntil: string | null;
            /**
             * @description When the session ends if it is not used from now on. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
        };
        /**
         * SignedInPerson
         * @description The person of a session.
         */
        SignedInPerson: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /**
             * @description How many passkeys the person has.
             * @example 1
             */
            passkeys: number;
        };
        /**
         * AdminRole
         * @description A role in one app, or in the whole server and every app.
         */
        AdminRole: {
            /**
             * @description The app. Null: the whole server and every app.
             * @example 1
             */
            appId: number | null;
            /**
             * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
             * @example marketer
             * @enum {string}
             */
            role: "viewer" | "marketer" | "operator" | "owner";
        };
        /**
         * AdminRights
         * @description Rights in the whole server, and in each app that a role names.
         */
        AdminRights: {
            /**
             * @description In the whole server and every app.
             * @example [
             *       "self"
             *     ]
             */
            server: ("self" | "see" | "campaign" | "operate" | "own")[];
            /**
             * @description In each app that a role names, by its id.
             * @example {
             *       "1": [
             *         "self",
             *         "see",
             *         "campaign"
             *       ]
             *     }
             */
            apps: {
                [key: string]: ("self" | "see" | "campaign" | "operate" | "own")[];
            };
        };
        /**
         * SignIn
         * @description Who signs in.
         */
        SignIn: {
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The password.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description A code of the authenticator app, or a recovery code. Only with a second factor.
             * @example 123456
             */
            code?: string | null;
        };
        /**
         * SignInState
         * @description How people sign in here.
         */
        SignInState: {
            /**
             * @description Nobody can sign in yet: the one-time address that `serve` prints makes the first owner.
             * @example false
             */
            setup: boolean;
            /**
             * @description Whether passkeys work at `baseUrl`.
             * @example true
             */
            passkeys: boolean;
            /**
             * @description The address of the server; empty when it is not set.
             * @example https://push.example.com
             */
            baseUrl: string;
        };
        /**
         * OneTimeSignIn
         * @description A one-time address, and what the person chooses.
         */
        OneTimeSignIn: {
            /**
             * @description What stands behind `#token=` in the one-time address.
             * @example once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name?: string | null;
            /**
             * @description At least 15 characters.
             * @example correct horse battery staple
             */
            password?: string | null;
        };
        /**
         * Nothing
         * @description No fields.
         */
        Nothing: Record<string, never>;
        /**
         * PasskeyOptions
         * @description What the browser needs; see WebAuthn.
         */
        PasskeyOptions: {
            [key: string]: unknown;
        };
        /**
         * PasskeySignIn
         * @description What the browser says.
         */
        PasskeySignIn: {
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * Confirmation
         * @description What proves who you are.
         */
        Confirmation: {
            /**
             * @description The password.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description A code of the authenticator app, or a recovery code. Only with a second factor.
             * @example 123456
             */
            code?: string | null;
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * OpenSessions
         * @description Your open sessions.
         */
        OpenSessions: {
            /** @description The rows. */
            items: components["schemas"]["OpenSession"][];
        };
        /**
         * OpenSession
         * @description One of your sessions.
         */
        OpenSession: {
            /**
             * @description Number of the session.
             * @example 12
             */
            id: number;
            /**
             * @description Whether it is the session of this call.
             * @example true
             */
            isCurrent: boolean;
            /**
             * @description From where the person signed in.
             * @example 192.0.2.7
             */
            address: string;
            /**
             * @description What the browser says that it is.
             * @example Mozilla/5.0
             */
            agent: string;
            /**
             * @description When the person signed in. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            seen: string;
            /**
             * @description When it ends if it is not used from now on. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string;
        };
        /**
         * AccountChange
         * @description What to change.
         */
        AccountChange: {
            /**
             * @description The name that others see.
             * @example Anna
             */
            name?: string | null;
            /**
             * @description The new password: at least 15 characters.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description The present password. Only with a new one.
             * @example correct horse battery staple
             */
            currentPassword?: string | null;
        };
        /**
         * SecondFactorSecret
         * @description The secret of a second factor.
         */
        SecondFactorSecret: {
            /**
             * @description The secret in Base32, for typing.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description The same for a QR code.
             * @example otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc
             */
            uri: string;
        };
        /**
         * SecondFactorCode
         * @description A code of the app.
         */
        SecondFactorCode: {
            /**
             * @description The code that the app shows.
             * @example 123456
             */
            code: string;
        };
        /**
         * RecoveryCodes
         * @description Codes for when the phone is lost.
         */
        RecoveryCodes: {
            /**
             * @description Ten codes.
             * @example [
             *       "abcd-efgh-ijkl-mnop"
             *     ]
             */
            recoveryCodes: string[];
        };
        /**
         * Passkeys
         * @description Your passkeys.
         */
        Passkeys: {
            /** @description The rows. */
            items: components["schemas"]["Passkey"][];
        };
        /**
         * Passkey
         * @description A passkey.
         */
        Passkey: {
            /**
             * @description Number of the passkey.
             * @example 4
             */
            id: number;
            /**
             * @description What you call it.
             * @example Phone
             */
            name: string;
            /**
             * @description When it was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last sign-in with it. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
        };
        /**
         * NewPasskey
         * @description A passkey to add.
         */
        NewPasskey: {
            /**
             * @description What you call it.
             * @example Phone
             */
            name: string;
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * PersonalTokens
         * @description Your personal tokens.
         */
        PersonalTokens: {
            /** @description The rows. */
            items: components["schemas"]["PersonalToken"][];
        };
        /**
         * PersonalToken
         * @description A personal token.
         */
        PersonalToken: {
            /**
             * @description Number of the token.
             * @example 5
             */
            id: number;
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description How it begins.
             * @example appsvc_pt_C2FV…
             */
            hint: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId: number | null;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description When it ends by itself. Null: never. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
        };
        /**
         * NewPersonalToken
         * @description A personal token to make.
         */
        NewPersonalToken: {
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId?: number | null;
            /**
             * @description How many days it works. Absent or null: it does not end by itself.
             * @example 90
             */
            days?: number | null;
        };
        /**
         * CreatedPersonalToken
         * @description A personal token with its text.
         */
        CreatedPersonalToken: {
            /**
             * @description Number of the token.
             * @example 5
             */
            id: number;
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description How it begins.
             * @example appsvc_pt_C2FV…
             */
            hint: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId: number | null;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description When it ends by itself. Null: never. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
            /**
             * @description The token. It is not shown again.
             * @example appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
        };
        /**
         * AdminPage
         * @description One page of people.
         */
        AdminPage: {
            /** @description The rows. */
            items: components["schemas"]["Admin"][];
            /**
             * @description Give it as `after` for the next page. Null on the last one.
             * @example null
             */
            next: number | null;
        };
        /**
         * Admin
         * @description Somebody who may use the admin interface.
         */
        Admin: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the person has chosen a password.
             * @example true
             */
            hasPassword: boolean;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description When the person was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
        };
        /**
         * NewAdmin
         * @description Somebody to invite.
         */
        NewAdmin: {
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /** @description What the person may do. */
            roles: {
                /**
                 * @description The app. Null: the whole server and every app.
                 * @example 1
                 */
                appId?: number | null;
                /**
                 * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
                 * @example marketer
                 * @enum {string}
                 */
                role: "viewer" | "marketer" | "operator" | "owner";
            }[];
        };
        /**
         * CreatedAdmin
         * @description Somebody who was invited.
         */
        CreatedAdmin: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the person has chosen a password.
             * @example true
             */
            hasPassword: boolean;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description When the person was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The one-time address. It is not shown again.
             * @example https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            link: string;
            /**
             * @description Until when it works. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            expires: string;
        };
        /**
         * RolesChange
         * @description All roles of a person.
         */
        RolesChange: {
            /** @description What the person may do. */
            roles: {
                /**
                 * @description The app. Null: the whole server and every app.
                 * @example 1
                 */
                appId?: number | null;
                /**
                 * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
                 * @example marketer
                 * @enum {string}
                 */
                role: "viewer" | "marketer" | "operator" | "owner";
            }[];
        };
        /**
         * OneTimeLink
         * @description An address that signs one person in, once.
         */
        OneTimeLink: {
            /**
             * @description The one-time address. It is not shown again.
             * @example https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            link: string;
            /**
             * @description Until when it works. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            expires: string;
        };
        /**
         * AuditEntryPage
         * @description One page of the audit log.
         */
        AuditEntryPage: {
            /** @description The rows. */
            items: components["schemas"]["AuditEntry"][];
            /**
             * @description Give it as `after` for the next page. Null on the last one.
             * @example null
             */
            next: number | null;
        };
        /**
         * AuditEntry
         * @description Something that somebody did.
         */
        AuditEntry: {
            /**
             * @description Number of the row.
             * @example 81
             */
            id: number;
            /**
             * @description When it happened. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            at: string;
            /**
             * @description The person. Null: nobody who is known, or the command line.
             * @example 3
             */
            adminId: number | null;
            /**
             * @description The name of the person at that time.
             * @example Anna
             */
            who: string;
            /**
             * @description The role in which the person did it.
             * @example owner
             */
            role: string | null;
            /**
             * @description What was done.
             * @example admins.roles
             */
            action: string;
            /**
             * @description In which app. Null: in the whole server.
             * @example 1
             */
            appId: number | null;
            /**
             * @description What it was done to.
             * @example bert@example.com
             */
            target: string | null;
            /**
             * @description How it was before, without secrets.
             * @example {
             *       "roles": []
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How it was then, without secrets.
             * @example {
             *       "roles": [
             *         {
             *           "appId": 1,
             *           "role": "marketer"
             *         }
             *       ]
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * @description From where.
             * @example 192.0.2.7
             */
            address: string;
        };
        /**
         * AdminApps
         * @description Apps that you have a role in.
         */
        AdminApps: {
            /** @description The rows. */
            items: components["schemas"]["AdminApp"][];
        };
        /**
         * AdminApp
         * @description An app.
         */
        AdminApp: {
            /**
             * @description Number of the app.
             * @example 1
             */
            id: number;
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The first label of the host of its links.
             * @example a1f4c05d2e
             */
            linkHostLabel: string;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
        };
        /**
         * NewApp
         * @description An app to create.
         */
        NewApp: {
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The account. Absent: the first one.
             * @example 1
             */
            accountId?: number | null;
        };
        /**
         * CreatedApp
         * @description An app with its keys.
         */
        CreatedApp: {
            /**
             * @description Number of the app.
             * @example 1
             */
            id: number;
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The first label of the host of its links.
             * @example a1f4c05d2e
             */
            linkHostLabel: string;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
            /**
             * @description Names the app in every call; it is public.
             * @example ak_…
             */
            apiKey: string;
            /**
             * @description For servers. It is not shown again.
             * @example sk_…
             */
            serverKey: string;
            /**
             * @description For the app on devices. It is not shown again.
             * @example dk_…
             */
            secretKey: string;
        };
        /**
         * Error
         * @description A request that failed.
         */
        Error: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
        };
        /**
         * Invalid
         * @description An invalid request.
         */
        Invalid: {
            /**
             * @description Always the same.
             * @example validation failed
             * @constant
             */
            error: "validation failed";
            /** @description What is wrong, by field. */
            errors: components["schemas"]["FieldErrors"];
        };
        /**
         * Refusal
         * @description Why the call was refused.
         */
        Refusal: {
            /**
             * @description Why the call was refused.
             * @example a code of your authenticator app, or a recovery code, is needed too
             */
            error: string;
            /**
             * @description The same in a word, for programs.
             * @example second_factor
             */
            code?: string;
        };
    };
    responses: {
        /** @description Nobody is signed in, or the personal token is wrong or over */
        SignInFirst: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The person may not do this here, the page that calls is of another origin, or (`code` is `confirm_sign_in`) the sign-in is not fresh */
        NotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The body exceeds the `limits.*` setting of this operation */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not take this `Content-Type`, or the body is compressed */
        UnsupportedMedia: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid; the body names every wrong field */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "validation failed",
                 *       "errors": {
                 *         "content.title": [
                 *           "is required"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Invalid"];
            };
        };
        /** @description Too many requests with wrong keys came from this address. Valid keys are never refused */
        TooMany: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer now, for example because the database is unreachable */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The scheme in which credentials are expected.
         * @example Basic realm="appsvc", charset="UTF-8"
         */
        WwwAuthenticate: string;
        /**
         * @description How many seconds to wait before the next attempt.
         * @example 30
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAdminV1Setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                 *       "email": "anna@example.com",
                 *       "name": "Anna",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description The server has an owner already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["OpenSessions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "anna@example.com",
                 *       "password": "correct horse battery staple",
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Wrong address or password, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1State: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "setup": false,
                     *       "passkeys": true,
                     *       "baseUrl": "https://push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["SignInState"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["OneTimeSignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "AbCd",
                 *         "rawId": "AbCd",
                 *         "type": "public-key",
                 *         "response": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasskeySignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The passkey is not known here, or what it says does not hold */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirmOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description What proves it is wrong, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    /**
                     * @description Forgets the session.
                     * @example __Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1SessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1Me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Anna"
                 *     }
                 */
                "application/json": components["schemas"]["AccountChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "abcd-efgh-ijkl-mnop"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description It was not begun, or it is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *       "uri": "otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc"
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactorSecret"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description The second factor is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone",
                 *       "response": {
                 *         "id": "AbCd",
                 *         "rawId": "AbCd",
                 *         "type": "public-key",
                 *         "response": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4,
                     *       "name": "Phone",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "used": null
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeysOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MePasskeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such passkey */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalTokens"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "laptop",
                 *       "scopes": [
                 *         "see",
                 *         "campaign"
                 *       ],
                 *       "appId": 1,
                 *       "days": 90
                 *     }
                 */
                "application/json": components["schemas"]["NewPersonalToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 5,
                     *       "name": "laptop",
                     *       "hint": "appsvc_pt_C2FV…",
                     *       "scopes": [
                     *         "see",
                     *         "campaign"
                     *       ],
                     *       "appId": 1,
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "used": null,
                     *       "expires": "2026-11-30T10:00:00+0000",
                     *       "token": "appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedPersonalToken"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such token */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Admins: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AdminPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Admins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "bert@example.com",
                 *       "name": "Bert",
                 *       "roles": [
                 *         {
                 *           "appId": 1,
                 *           "role": "marketer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewAdmin"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "email": "anna@example.com",
                     *       "name": "Anna",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "link": "https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                     *       "expires": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedAdmin"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AdminsByIdRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         {
                 *           "appId": 1,
                 *           "role": "marketer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RolesChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "email": "anna@example.com",
                     *       "name": "Anna",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "created": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Admin"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AdminsByIdReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "link": "https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                     *       "expires": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AdminsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It is you: another owner can delete you */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "validation failed",
                     *       "errors": {
                     *         "content.title": [
                     *           "is required"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Invalid"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Audit: {
        parameters: {
            query?: {
                /**
                 * @description Only of this app.
                 * @example 1
                 */
                appId?: number;
                /**
                 * @description Only of this person.
                 * @example 3
                 */
                adminId?: number;
                /**
                 * @description Only this action.
                 * @example admins.roles
                 */
                action?: string;
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApps"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bakery"
                 *     }
                 */
                "application/json": components["schemas"]["NewApp"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bakery",
                     *       "linkHostLabel": "a1f4c05d2e",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000",
                     *       "apiKey": "ak_…",
                     *       "serverKey": "sk_…",
                     *       "secretKey": "dk_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApp"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bakery",
                     *       "linkHostLabel": "a1f4c05d2e",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
}
