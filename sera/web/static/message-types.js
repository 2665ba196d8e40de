/**
 * The types of all messages, for editors: `import("./message-types.js").Clicked` in a comment.
 *
 * Written from the models by `make docs-schema`, not by hand. No page fetches this.
 *
 * @module message-types
 */

export {};

/**
 * An Action was not performed in time, and never will be.
 * @typedef {object} ActionExpired
 * @property {string} action - Id of the Action.
 * @property {string} action_type - Message type of the Action.
 * @property {string} sender - Source that gave the order.
 * @property {string|null} [receiver] - Source that did not perform it; None where nobody received it.
 * @property {ExpiryReason} reason - Why it was not performed.
 * @property {number} age_s - How old the order was when it was given up.
 */

/**
 * Do something in the activity, as a player or as its host.
 * @typedef {object} ActivityCommand
 * @property {string} command - What to do, such as `play_card`.
 * @property {Object<string, JsonValue>} [data] - Particulars, as the activity defines them; no names of people.
 */

/**
 * Something happened in the activity: a move, a new round, a result.
 * @typedef {object} ActivityEvent
 * @property {string} event - What happened, such as `card_played`.
 * @property {string|null} [person] - Who did it, as the id of a tracker or the activity's id for the player, never a name.
 * @property {Object<string, JsonValue>} [data] - Particulars, as the activity defines them; no names of people.
 */

/**
 * An animation has ended.
 * @typedef {object} AnimationFinished
 * @property {string} animation - Name of the animation.
 * @property {string} action - Id of its PlayAnimation.
 * @property {AnimationOutcome} [outcome] - How it ended.
 * @property {number} duration_s - How long it played.
 */

/**
 * How an animation ended.
 * @typedef {("completed"|"interrupted"|"failed")} AnimationOutcome
 */

/**
 * Change when a waiting utterance has its turn.
 * @typedef {object} ArrangeUtterance
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {"first"|"earlier"|"later"|"hold"|"release"} how - `first`, `earlier` and `later` move it among those that wait; `hold` keeps it from being said, and from growing too old, until `release`.
 */

/**
 * The autonomy dial of a character.
 * @typedef {object} Autonomy
 * @property {Object<Channel, AutonomyMode>} [modes] - Setting of each channel; a channel that is missing is autonomous.
 * @property {Object<Channel, string>} [owners] - Which operator has which channel in hand; a channel that is missing belongs to all.
 */

/**
 * Somebody turned the autonomy dial, or handed a channel over.
 * @typedef {object} AutonomyChanged
 * @property {Channel} channel - Which channel.
 * @property {AutonomyMode} mode - Its new setting.
 * @property {string} by - Operator or module that changed it, by role and not by name.
 * @property {AutonomyMode|null} [previous] - Its former setting.
 * @property {string|null} [owner] - Operator who has the channel in hand from now on; None: nobody in particular.
 */

/**
 * How free an automatic mind is on a channel, from most to least.
 * @typedef {("autonomous"|"suggest"|"wizard")} AutonomyMode
 */

/**
 * What the character does by its behaviour manager, what waits, and whose orders count.
 * @typedef {object} BehaviourState
 * @property {"stand_by"|"performing"|"question_waiting"|"non_verbal_waiting"|"cancelled"} [doing] - What it does with lines.
 * @property {string|null} [utterance] - Id of the PerformUtterance under way.
 * @property {Array<WaitingLine>} [waiting] - Lines that wait, the next one first.
 * @property {string|null} [gaze_target] - Whom or what it looks at.
 * @property {string|null} [gaze_reason] - Why.
 * @property {string|null} [gaze_policy] - How the gaze behaves by itself.
 * @property {Object<Channel, string>} [owners] - Module whose order counts on a channel now; a channel that is missing is free.
 */

/**
 * Who owns what in this frame of the animation engine; published after WatchBlend.
 * @typedef {object} BlendReport
 * @property {number} [frame] - Which frame.
 * @property {Object<string, number>} [layers] - Weight by layer of the animation program, fades included.
 * @property {Object<string, ChannelBlend>} [channels] - Channels that are animated, by full name such as `Gazing.Horizontal`.
 * @property {Object<string, string>} [limbs] - The gesture that owns a limb, such as `wave` by `right arm`: the newest one that moves it.
 */

/**
 * How a body is.
 * @typedef {("ok"|"warning"|"resting"|"stopped"|"unreachable")} BodyHealth
 */

/**
 * Heartbeat of a body, with what it measures.
 * @typedef {object} BodyState
 * @property {BodyHealth} health - How the body is.
 * @property {string|null} [problem] - One plain sentence where health is not ok.
 * @property {Object<string, number>} [joints_rad] - Measured angle by joint, radians (metres for a joint that slides).
 * @property {Object<string, number>} [temperature_c] - Temperature by joint or part, degrees Celsius.
 * @property {Object<string, number>} [load] - Load by joint, as a part of what it can bear.
 * @property {Object<string, number>} [stiffness] - Stiffness by joint: 0 is limp.
 * @property {number|null} [battery] - Charge of the battery; None for a body without one.
 * @property {Object<string, number>} [counts] - What the bridge has counted, such as frames received, late and refused.
 */

/**
 * Why an utterance was not said to its end.
 * @typedef {("cancelled"|"pre_empted"|"superseded"|"timed_out"|"queue_full"|"no_line"|"stopped"|"failed")} CancelReason
 */

/**
 * Drop an utterance, whether it waits or is being said.
 * @typedef {object} CancelUtterance
 * @property {string|null} [utterance] - Id of its PerformUtterance; None: the one being said and all that wait.
 * @property {boolean} [politely] - True: end at the next word; False: be silent at once.
 */

/**
 * What an Action takes hold of; the autonomy dial has one setting for each.
 * @typedef {("decision"|"speech"|"gaze"|"gesture"|"emotion")} Channel
 */

/**
 * A channel, and the layers that made it what it is.
 * @typedef {object} ChannelBlend
 * @property {number} value - What the layers add up to, in the channel's own unit.
 * @property {Object<string, number>} [layers] - Share by layer; they sum to 1.
 */

/**
 * Somebody touched a screen, a key or a thing. Takes at least one of point and element.
 * @typedef {object} Clicked
 * @property {ScreenPoint|null} [point] - Where on which screen.
 * @property {string|null} [element] - What was touched, by the activity's own name for it.
 * @property {string|null} [person] - Who touched it, as the id of a tracker or the activity's id for the player, never a name.
 */

/**
 * How far the clock of this module's machine is from the recorder's.
 * @typedef {object} ClockOffset
 * @property {number} offset_s - Recorder's time minus own time: add it to own times to compare them.
 * @property {number} round_trip_s - Way there and back of the best probe; half of it bounds the error of the offset.
 * @property {number} [probes] - Number of answered probes the offset is taken from.
 */

/**
 * Asks the recorder for its time; the envelope's `time` says when the question left.
 * @typedef {object} ClockProbe
 * @property {number} [sequence] - Counts the questions of this module.
 */

/**
 * The recorder's answer to a ClockProbe, which is its cause.
 * @typedef {object} ClockReply
 * @property {string} probe - Id of the ClockProbe.
 * @property {number} received_at_s - When the question arrived, on the recorder's clock.
 * @property {number} sent_at_s - When this answer left, on the recorder's clock.
 */

/**
 * This session runs under this condition, drawn when the session starts.
 * @typedef {object} ConditionAssigned
 * @property {string} session - Id of the session.
 * @property {string} participant - Pseudonym of the participant or group.
 * @property {string} condition - Name of the condition in the study file.
 * @property {Object<string, string>} [factors] - Level of each factor.
 * @property {Object<string, JsonValue>} [settings] - What the condition sets, such as a gaze policy, by name.
 * @property {string|null} [method] - How it was drawn: `random`, `blocked`, `latin_square`, `by_hand`.
 */

/**
 * A dialogue sheet went from one state to the next.
 * @typedef {object} DialogueMoved
 * @property {string|null} [previous] - State it was in; None at the start.
 * @property {string} state - State it is in now.
 * @property {string|null} [meaning] - Meaning of the row that led there, as the sheet has it.
 * @property {string|null} [style] - Style of that row.
 * @property {string|null} [because] - What happened, as the sheet's When says it.
 * @property {string|null} [place] - File, sheet and row.
 */

/**
 * Where something lies or points, as two angles.
 * @typedef {object} Direction
 * @property {number} horizontal_deg - 0 is straight ahead, positive to the right.
 * @property {number} [vertical_deg] - 0 is level, positive upwards.
 */

/**
 * End an emergency stop: the body may move again. Unlike the stop it expires: a release that arrives late would surprise whoever stands there.
 * @typedef {object} EmergencyRelease
 * @property {string|null} [by] - Operator who releases, by role and not by name.
 */

/**
 * Stop all motion and speech now, and stay stopped until EmergencyRelease.
 * @typedef {object} EmergencyStop
 * @property {string|null} [by] - Operator or module that stops, by role and not by name.
 * @property {string|null} [reason] - Why.
 */

/**
 * What a character feels now; who animates it follows this.
 * @typedef {object} EmotionState
 * @property {Pad} pad - What is felt now.
 * @property {string} name - The named emotion that is nearest to it.
 * @property {number} [intensity] - How much of it shows; 0 while nothing was ever felt.
 * @property {Pad} target - Where the change under way leads; the same as pad where nothing changes.
 * @property {number} [blend_s] - How long the change to the target still takes.
 * @property {Pad} mood - What the emotion fades into.
 */

/**
 * How far somebody is engaged with the robot, in the words of ROS4HRI.
 * @typedef {("unknown"|"engaging"|"engaged"|"disengaging"|"disengaged")} Engagement
 */

/**
 * Somebody began to engage with a robot, or to turn away from it.
 * @typedef {object} EngagementChanged
 * @property {string} person - Id of the tracker for this person.
 * @property {Engagement} level - How far.
 * @property {Engagement|null} [previous] - How far before.
 * @property {string|null} [character] - With which character; None: with the only robot there is.
 * @property {string|null} [reason] - What it was judged by, such as `looks at the robot for 1.2 s`.
 */

/**
 * How the animation engine is: what it plays, and whether it keeps up.
 * @typedef {object} EngineState
 * @property {string} program - Title of the animation program.
 * @property {string|null} [problem] - Why a changed program file is not in use, or which controllers are muted.
 * @property {Object<string, number>} [layers] - Weight by layer.
 * @property {string|null} [posture] - The posture that was asked for last.
 * @property {Array<string>} [playing] - Animations that are playing.
 * @property {number} [rate_hz] - Frames a second that it makes.
 * @property {Object<string, number>} [counts] - Frames made and late (overruns), branch changes of aiming chains, orders refused.
 * @property {string|null} [branch_change] - Why aiming chains changed their branch the last time: where they aimed, and what gave way.
 * @property {number} [slowest_frame_ms] - The longest that a frame took since the last report.
 */

/**
 * What surrounds every message on the wire.
 * @typedef {object} Envelope
 * @property {string} type - Name of the message type.
 * @property {string} id - `source-boot-sequence`: unique, and ordered within a source.
 * @property {number} time - When the fact was observed or the order given, seconds.
 * @property {string} source - Who says it: `<character>.<module>`, or `world.<module>`.
 * @property {string|null} [cause] - Id of the message that led to this one.
 * @property {number} [protocol] - Version of the protocol that the sender speaks.
 * @property {Object<string, number>|null} [after] - Actions only: per receiver, sequence of the pending Action that must come before this one.
 * @property {MessageData[keyof MessageData]} data - The fields of the message.
 */

/**
 * Why an Action was not performed.
 * @typedef {("too_old"|"no_answer"|"no_receiver"|"outbox_full")} ExpiryReason
 */

/**
 * Which form the participant's tablet shows now.
 * @typedef {object} FormOffered
 * @property {string|null} [questionnaire] - Name of the questionnaire; None: none, the tablet asks to wait.
 * @property {string|null} [participant] - Pseudonym of the participant.
 * @property {string|null} [session] - Id of the session.
 * @property {string|null} [language] - Language tag of the wording.
 */

/**
 * Turn the gaze there: the low-level result of GazeAt and Glance. An order rather than a stream, so that the last one of a movement always arrives; a tracker may send it as often as it likes.
 * @typedef {object} Gaze
 * @property {Direction} direction - Angles as the character's body faces forward, seen from where its eyes rest.
 * @property {Position|null} [place] - Where the target is, along the character's own axes (to its left, up, forward of its base): the engine aims from where the face is. None: the target is a direction alone.
 * @property {number} [speed] - Factor on the body's usual gaze speed.
 * @property {string|null} [target] - Whom or what it looks at: the name that was asked for, and what it stands for where that is another (`person = learner_1`).
 * @property {string|null} [reason] - Why it looks there, such as `glance`, `breaking: 5.1 s on person_1`.
 */

/**
 * Look at a target, and keep looking at it until the next GazeAt.
 * @typedef {object} GazeAt
 * @property {string} target - Whom or what to look at.
 */

/**
 * Where the face is and where it looks, as the animation engine has the body now. Places and directions are along the character's own axes (to its left, up, forward of its base).
 * @typedef {object} GazeState
 * @property {string|null} [target] - Whom or what it looks at, as the Gaze order had it; None: nobody has ordered a look.
 * @property {Position} position - Where the face is.
 * @property {Direction} direction - Where the face looks.
 * @property {number} [off_deg] - The angle between the face's axis and the target.
 * @property {number} [shortfall_deg] - How much of that the body cannot help, once the look has arrived.
 * @property {string} [shortfall_why] - Why, such as `15° short: neck_pitch at its end`; empty where nothing is short.
 * @property {string} [because] - Why the face is elsewhere on purpose, such as `averted by emotion` or `owned by animation 'think'`; empty where it is not.
 */

/**
 * Look at a target for a moment, then back to where the gaze was.
 * @typedef {object} Glance
 * @property {string} target - Whom or what to look at.
 * @property {number|null} [duration_s] - How long to look; None: as the gaze policy has it.
 */

/**
 * The operator goes on with the session; whoever keeps the plan says what follows from it. Unlike the records it grows old: a step that was asked for long ago would come unexpectedly.
 * @typedef {object} GuideSession
 * @property {"begin"|"next"|"skip"|"repeat"|"extra"|"pause"|"resume"|"abort"} do - `begin` a session, go to the `next` step, `skip` the present one, `repeat` it, do an `extra` one that is not its turn, `pause`, `resume`, `abort` the session.
 * @property {string|null} [step] - Which step, where `extra` names one; the phase under way, where `skip`, `repeat` or `abort` mean all of it; else None.
 * @property {string|null} [participant] - Pseudonym, where a session begins; None: the next free one.
 * @property {string|null} [language] - Language of the forms, where a session begins.
 * @property {string|null} [reason] - Why, in the operator's words.
 * @property {string|null} [by] - Operator, by desk and not by name.
 */

/**
 * A hand has come as near to its place as it can, or was stopped on the way.
 * @typedef {object} HandMoved
 * @property {string} hand - Which hand.
 * @property {string} action - Id of its MoveHand.
 * @property {HandOutcome} outcome - `closest`: the place is out of reach, and the hand is as near as it comes.
 * @property {number} [distance_m] - How far from the place it is.
 */

/**
 * How an order to a hand went.
 * @typedef {("reached"|"closest"|"interrupted")} HandOutcome
 */

/**
 * What a module has handled, in the order in which it began with each; a replay follows it.
 * @typedef {object} Handled
 * @property {number} [first] - How many it had handled before these, so that a gap is noticed.
 * @property {Array<string>} lives - The beginnings of the messages' ids, `source-boot`, each once.
 * @property {Array<number>} order - Two numbers a message: which of `lives`, counted from 0, and the sequence of its id.
 */

/**
 * Where a person's face points.
 * @typedef {object} HeadDirection
 * @property {string} person - Id of the tracker for this person.
 * @property {Direction} direction - Where the face points, along the axes of the scenario's space (180° looks back at +Z).
 * @property {number} [roll_deg] - Tilt of the head, positive towards the person's own right shoulder.
 * @property {string|null} [looks_at] - Character, screen, person or target that lies in this direction; None: elsewhere.
 * @property {boolean|null} [eye_contact] - Whether the person looks into the robot's face; None where it cannot be told.
 */

/**
 * One recognised word.
 * @typedef {object} HeardWord
 * @property {string} text - The word as it is written.
 * @property {number} start_s - When it begins, from the beginning of the phrase.
 * @property {number} end_s - When it ends, from the beginning of the phrase.
 * @property {number} [confidence] - How sure the recogniser is of the word.
 */

/**
 * Make people see a place on the screen. Takes at least one of element and point.
 * @typedef {object} Highlight
 * @property {string|null} [element] - What to highlight, by the activity's own name for it.
 * @property {ScreenPoint|null} [point] - Where to highlight.
 * @property {number} [duration_s] - How long.
 * @property {string|null} [label] - Words to show beside it.
 */

/**
 * Move single joints by hand and hold them there, over whatever else moves them.
 * @typedef {object} HoldJoints
 * @property {Object<string, number>} [joints_rad] - Angle by joint, radians (metres for a joint that slides), kept within the limits of the body. Joints that are not named are let go; none at all: all are let go.
 * @property {number} [blend_s] - How long it takes to get there, and to let go.
 */

/**
 * Where the engine wants the body now, many times a second.
 * @typedef {object} JointFrame
 * @property {Object<string, number>} [joints_rad] - Angle by joint, radians (metres for a joint that slides).
 * @property {Object<string, number>} [channels] - Value by channel that is not a joint (lights, mouth, eyelids), in the channel's own unit.
 * @property {number} [frame] - Counts the frames of the engine since it started.
 */

/**
 * Any JSON value.
 * @typedef {(*)} JsonValue
 */

/**
 * Somebody pressed a key of a keyboard or a remote control.
 * @typedef {object} KeyPressed
 * @property {string} key - The key by its name, such as `space`, `y` or `f5`.
 * @property {string|null} [person] - Who pressed it, by role or as the id of a tracker, never a name.
 */

/**
 * Something that is wrong in a sheet, and how to mend it.
 * @typedef {object} LibraryFinding
 * @property {string} place - File, sheet, row and column.
 * @property {"error"|"warning"} severity - An error keeps a line from being said as meant.
 * @property {string} code - Kind of finding, such as `unknown-verb`.
 * @property {string} message - What is wrong, in one sentence.
 * @property {string} [fix] - How to mend it.
 */

/**
 * The character's utterance library was read, at the start or because it was saved.
 * @typedef {object} LibraryLoaded
 * @property {string} library - Its name.
 * @property {Array<string>} [files] - Names of the files, without their folders.
 * @property {number} lines - How many lines count from now on.
 * @property {boolean} [replaced] - False where the files cannot be used, so that what was read before goes on.
 * @property {number} [errors] - How many findings are errors.
 * @property {number} [warnings] - How many findings are warnings.
 * @property {Array<LibraryFinding>} [findings] - The first of them, errors before warnings.
 */

/**
 * Why this line was chosen.
 * @typedef {object} LineChoice
 * @property {string} library - Library it comes from.
 * @property {string|null} [place] - Sheet and row in the library's file.
 * @property {number} candidates - How many lines could have been chosen.
 * @property {number} [excluded] - How many lines of the category their repetition rule ruled out.
 * @property {string|null} [rule] - How it was chosen among them, such as `id`, `shuffle_bag`, `weights`.
 * @property {number|null} [bag_left] - How many lines are left in the bag before any is said again; None: it came from no bag.
 * @property {boolean} [refilled] - True where the bag was empty and all lines went back into it first.
 */

/**
 * A marker went out of view.
 * @typedef {object} MarkerLost
 * @property {string} marker - Id of the marker.
 */

/**
 * A marker in view is now here.
 * @typedef {object} MarkerMoved
 * @property {string} marker - Id of the marker.
 * @property {Position} position - Where its centre is.
 * @property {Orientation|null} [orientation] - How it is turned against the axes of the scenario's space.
 */

/**
 * A printed marker (a card, an object, a seat) came into view.
 * @typedef {object} MarkerSeen
 * @property {string} marker - Id of the marker, with its family where several are in use (`aruco_4x4:17`).
 * @property {Position|null} [position] - Where its centre is.
 * @property {Orientation|null} [orientation] - How it is turned against the axes of the scenario's space.
 * @property {number} [confidence] - How sure the tracker is of the id.
 */

/**
 * A medium has ended or was stopped.
 * @typedef {object} MediaFinished
 * @property {string} media - Name of the file.
 * @property {string} action - Id of its PlayMedia.
 * @property {boolean} [completed] - False where it was stopped or could not be played.
 * @property {string|null} [problem] - One plain sentence where it could not be played.
 */

/**
 * What a module and its connection have counted since they started.
 * @typedef {object} ModuleCounters
 * @property {Object<string, number>} counts - Count by name, such as `sent`, `received`, `dropped`, `expired`.
 */

/**
 * Something went wrong; the module goes on with the next message.
 * @typedef {object} ModuleFault
 * @property {string} module - Source at fault, `<character>.<module>`.
 * @property {Severity} [severity] - How bad it is.
 * @property {string} summary - One sentence: what, where, and what to do.
 * @property {string|null} [detail] - Traceback or further lines, without the values of personal fields.
 * @property {string|null} [about] - Id of the message that was being handled.
 * @property {string|null} [sender] - Source of the message that was being handled.
 */

/**
 * A module is there, or not; `lost` is its last will, which the broker publishes.
 * @typedef {object} ModulePresence
 * @property {PresenceStatus} status - Where the module is in its life.
 * @property {number} boot - Counts the starts of this module; part of its message ids.
 * @property {Array<string>} [handles] - Names of the message types it handles: senders wait for its receipts of these Actions.
 * @property {boolean} [hears_all] - True where it hears every message of every character (recorder, monitor).
 * @property {string} [role] - What it is to the run: `module`, `decision`, `recorder`, `console`, `gateway` …
 * @property {string|null} [problem] - One plain sentence about what keeps it from working (no camera, muted microphone).
 * @property {string|null} [version] - Version of the software it runs.
 * @property {string|null} [host] - Machine it runs on; left out in virtual time, so that logs are identical.
 * @property {number|null} [process_id] - Process it runs in; left out in virtual time, so that logs are identical.
 */

/**
 * How far the mouth is open at a moment of a speech.
 * @typedef {object} MouthPoint
 * @property {number} time_s - From the first sound of the speech.
 * @property {number} opening - From closed to wide open.
 */

/**
 * Bring a hand to a place, hold it there, and let it go.
 * @typedef {object} MoveHand
 * @property {string} hand - Which hand of the body, such as `right`.
 * @property {Position|null} [place] - Where to, as the robot stands; None lets go of the hand.
 * @property {Orientation|null} [orientation] - How the hand is turned there; None: as the arm likes it.
 * @property {boolean} [carries] - Whether it carries something: the hand keeps upright as it is on the way and there.
 * @property {number|null} [duration_s] - How long the way takes; None: as long as is comfortable.
 * @property {number|null} [hold_s] - How long it stays there; None: until the next order.
 */

/**
 * An operator gave an order, and this is what was before the operator's eyes.
 * @typedef {object} OperatorDecided
 * @property {string} action - Id of the message that the operator sent.
 * @property {string} action_type - Its type.
 * @property {string} by - Operator, by desk and not by name.
 * @property {boolean} [restricted] - True where the operator sees only what the robot perceives, no picture and no sound.
 * @property {Array<string>} [seen] - Ids of what stood on the page: States of people, and the perceptions of the last seconds.
 * @property {Array<string>} [feeds] - Pictures and sounds of the room that the page was given.
 * @property {string|null} [suggestion] - Id of the Suggestion that it answers; None: the operator's own idea.
 * @property {number|null} [reaction_s] - From the Suggestion, or else from the newest perception on the page, to the order.
 */

/**
 * An operator who is there.
 * @typedef {object} OperatorSeat
 * @property {string} operator - What the operator is called: the desk, with a number where several share it.
 * @property {string} desk - Which desk, as the console's layout names it.
 * @property {string} role - `wizard` or `observer`.
 * @property {string|null} [character] - Whose page it is; None: everybody's.
 * @property {boolean} [restricted] - Whether the operator sees only what the robot perceives.
 */

/**
 * Who sits at the consoles of this run.
 * @typedef {object} OperatorsPresent
 * @property {Array<OperatorSeat>} [operators] - In the order in which they came.
 */

/**
 * Two modules gave the same order at the same time; one of them stands. The rule: the higher priority stands, of equal ones the newest; what has begun goes on.
 * @typedef {object} OrderConflict
 * @property {string} order - What both ordered, such as `category:greeting` or `gaze`.
 * @property {string} kept - Id of the Action that stands.
 * @property {string} kept_source - Module that gave it.
 * @property {string} dropped - Id of the Action that is dropped.
 * @property {string} dropped_source - Module that gave it.
 * @property {"priority"|"newest"|"under_way"} rule - What settled it.
 */

/**
 * How a body is turned, as a unit quaternion.
 * @typedef {object} Orientation
 * @property {number} [w] - Scalar part.
 * @property {number} [x] - First component of the vector part.
 * @property {number} [y] - Second component of the vector part.
 * @property {number} [z] - Third component of the vector part.
 */

/**
 * An emotion as pleasure, arousal and dominance. Each goes from -1 to 1. Values beyond are not refused here: who performs the emotion clips and reports them, so that a mind that overshoots does not leave the robot without emotion.
 * @typedef {object} Pad
 * @property {number} pleasure - From -1, unpleasant, to 1, pleasant.
 * @property {number} arousal - From -1, calm, to 1, excited.
 * @property {number} dominance - From -1, submissive, to 1, in control.
 */

/**
 * Who is there, where, who speaks, and who looks at whom.
 * @typedef {object} PeopleState
 * @property {Array<PersonSummary>} [people] - Everybody who is there, in the order in which they came.
 * @property {string|null} [speaker] - Who has the floor; None: nobody, or several.
 */

/**
 * Say a line with its gaze and gestures. Takes one of line, category and text.
 * @typedef {object} PerformUtterance
 * @property {string|null} [line] - Id of one line of the library.
 * @property {string|null} [category] - Category from which a line is chosen.
 * @property {string|null} [subcategory] - Narrows the category.
 * @property {string|null} [text] - Anything at all, with markup. The robot's own words, so not marked personal: names that are marked elsewhere are replaced in the recording.
 * @property {Object<string, string>} [tags] - What replaces the tags in the line, by tag; names of people go here, not into `text`.
 * @property {Object<string, string>} [words] - The same for what names nobody, such as places, numbers and ids of trackers: it stays in the recording as it is.
 * @property {Object<string, string>} [metadata] - Extra columns of the library and the value each must have.
 * @property {string|null} [library] - Library to choose from; None: the character's own.
 * @property {string|null} [language] - Language tag such as `en` or `pt-PT`; None: the character's own.
 * @property {number} [priority] - Higher goes first; higher than the line under way breaks it off.
 */

/**
 * A person came into view, or came back under the same id.
 * @typedef {object} PersonDetected
 * @property {string} person - Id of the tracker for this person, the same until the person is lost.
 * @property {string|null} [name] - What the person is called, where somebody told the system.
 * @property {Position|null} [position] - Where the head is, where the distance is known.
 * @property {Direction|null} [direction] - In which direction the head is, seen from `seen_from`.
 * @property {Position|null} [seen_from] - Where `direction` is measured from; None: the origin of the scenario's space.
 * @property {number} [confidence] - How sure the tracker is that this is a person.
 */

/**
 * A person went out of view and did not come back within the tracker's patience.
 * @typedef {object} PersonLost
 * @property {string} person - Id of the tracker for this person.
 * @property {number|null} [unseen_for_s] - How long the person had not been seen when the tracker gave up.
 */

/**
 * A person's head is now here. Takes at least one of position and direction.
 * @typedef {object} PersonMoved
 * @property {string} person - Id of the tracker for this person.
 * @property {Position|null} [position] - Where the head is, where the distance is known.
 * @property {Direction|null} [direction] - In which direction the head is, seen from `seen_from`.
 * @property {Position|null} [seen_from] - Where `direction` is measured from; None: the origin of the scenario's space.
 * @property {number} [confidence] - How sure the tracker is of the place.
 */

/**
 * Everything that is known of somebody, from all senses together.
 * @typedef {object} PersonSummary
 * @property {string} person - Id of the tracker, or of the scenario file for somebody who is expected.
 * @property {Position|null} [position] - Where the head is.
 * @property {boolean} [seen] - False where no sense sees the person and the scenario or the activity stands in.
 * @property {boolean} [speaking] - Whether the person speaks.
 * @property {string|null} [looks_at] - Character, screen, person or target that the person looks at; None: elsewhere or unknown.
 * @property {Engagement} [engagement] - How far the person is engaged with the robot.
 */

/**
 * What happens to a phase.
 * @typedef {("started"|"finished"|"paused"|"resumed"|"repeated"|"skipped"|"aborted")} PhaseStatus
 */

/**
 * Play an animation of the body's repertoire.
 * @typedef {object} PlayAnimation
 * @property {string} animation - Name of the animation, such as `nod`.
 * @property {number|null} [repeats] - How many times; None: until StopAnimation.
 * @property {number} [speed] - Factor on the authored speed.
 * @property {number} [amplitude] - Factor on the authored movement; limits of the body hold in any case.
 * @property {string|null} [layer] - Layer of the animation program to play on; None: the animation's own.
 * @property {number|null} [fade_s] - How long to fade in and out; None: as authored.
 * @property {Object<string, number>} [anchors] - When named moments of the animation shall come, such as the stroke of a gesture with a word: seconds from its beginning.
 */

/**
 * Show a picture or a film, or play a sound.
 * @typedef {object} PlayMedia
 * @property {string} media - Name of the file among the scenario's media.
 * @property {string|null} [screen] - Screen to show it on; None: the main one.
 * @property {number} [volume] - From silent to as recorded.
 * @property {boolean} [loop] - True: again and again until StopMedia.
 * @property {number} [start_s] - Where in the file to begin.
 */

/**
 * Point an arm in this direction: the low-level result of PointAt.
 * @typedef {object} Point
 * @property {Direction} direction - Angles as the character's body faces forward, seen from where its eyes rest.
 * @property {Position|null} [place] - Where the target is, along the character's own axes: the arm aims from where the hand is. None: the target is a direction alone.
 * @property {"left"|"right"|null} [arm] - Which arm; None: the one on that side.
 * @property {number|null} [hold_s] - How long to point; None: as the animation program says. 0 lets the arm down.
 * @property {string|null} [target] - Name of the target that the angles come from, for whoever reads the log.
 */

/**
 * Point at a target; a body without arms points with its gaze and says so in the result.
 * @typedef {object} PointAt
 * @property {string} target - Whom or what to point at.
 * @property {"left"|"right"|null} [hand] - Which hand; None: the one on the side of the target.
 * @property {number|null} [duration_s] - How long to hold the gesture; None: as the animation has it.
 */

/**
 * A place in the space of the scenario.
 * @typedef {object} Position
 * @property {number} x_m - Metres to the left of somebody who faces forward.
 * @property {number} y_m - Metres above the floor.
 * @property {number} z_m - Metres forward.
 */

/**
 * One thing that has to be in order before a session, and what was found.
 * @typedef {object} PreflightCheck
 * @property {string} check - What was looked at: `robot`, `face`, `microphone`, `voice`, `screen`, `tablet`, `disk`, `clock`, `stop`.
 * @property {"green"|"amber"|"red"|"grey"} colour - In order, worth a look, not in order, nothing to check.
 * @property {string} sentence - What was found.
 * @property {string|null} [advice] - What to do about it.
 */

/**
 * What the checks before the session under way have found.
 * @typedef {object} PreflightReport
 * @property {Array<PreflightCheck>} checks - All checks, in their order.
 * @property {boolean} [overridden] - Whether the session was begun although a check was red.
 */

/**
 * Where a module is in its life.
 * @typedef {("starting"|"present"|"stopped"|"lost")} PresenceStatus
 */

/**
 * The wait for an answer is over.
 * @typedef {object} QuestionAnswered
 * @property {string} question - Id of the QuestionAsked.
 * @property {boolean} answered - False where nobody answered in time.
 * @property {string|null} [person] - Who answered, as the id of a tracker; None where that is unknown.
 * @property {string|null} [text] - What was understood of the answer.
 * @property {number} waited_s - From the question to the end of the answer, or to giving up.
 */

/**
 * A line that is a question has ended; the character keeps silent and waits.
 * @typedef {object} QuestionAsked
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {string|null} [line] - Id of the line.
 * @property {string|null} [person] - Who was asked; None: anybody.
 * @property {number} waits_s - How long the character waits; longer while somebody is still answering.
 */

/**
 * A participant has filled in a form.
 * @typedef {object} QuestionnaireAnswered
 * @property {string} questionnaire - Name of the questionnaire.
 * @property {string} participant - Pseudonym of the participant.
 * @property {string|null} [session] - Id of the session.
 * @property {Object<string, (boolean|number|string|null)>} answers - Answer by item for closed items: a number on a scale, or the key of a choice; None where it was left out. Anything a person types goes into `free_answers`.
 * @property {Object<string, string>} [free_answers] - Answer by item for what a person types.
 * @property {string|null} [language] - Language tag of the wording that was shown.
 * @property {Array<string>} [item_order] - Items in the order in which they were shown.
 * @property {number|null} [duration_s] - From opening the form to sending it.
 */

/**
 * The sender of this message has received these Actions and will handle each of them once.
 * @typedef {object} Receipt
 * @property {Array<string>} ids - Ids of the Actions, in the order of their arrival.
 */

/**
 * Have a moment of an animation that is playing come at another time than it would. What has ended meanwhile is left as it is; the gesture is stretched or quickened only as far as it stays the same gesture.
 * @typedef {object} RetimeAnimation
 * @property {string} action - Id of its PlayAnimation.
 * @property {Object<string, number>} anchors - The moment and when it shall come: seconds from now.
 */

/**
 * The run is about to end: modules finish, then retained State is cleared.
 * @typedef {object} RunEnding
 * @property {RunOutcome} [outcome] - Why it ends.
 * @property {string|null} [reason] - One sentence for the summary.
 * @property {string|null} [by] - Source that asked for the end.
 */

/**
 * Why a run ends.
 * @typedef {("completed"|"stopped"|"failed")} RunOutcome
 */

/**
 * A place on one of the scenario's screens.
 * @typedef {object} ScreenPoint
 * @property {string} [screen] - Name of the screen in the scenario file.
 * @property {number} x_px - Pixels from the left edge.
 * @property {number} y_px - Pixels from the upper edge.
 */

/**
 * How a camera, a microphone or another sense is; it comes back by itself.
 * @typedef {object} SensorState
 * @property {"camera"|"microphone"|"markers"|"speech"|"other"} sense - What sort of sensor.
 * @property {SensorStatus} status - How it is.
 * @property {string|null} [problem] - One plain sentence where it is not ok: what, and what to do.
 * @property {string|null} [device] - Which device, file or address.
 * @property {number} [rate_hz] - How many pictures or blocks of sound a second are worked on.
 * @property {number|null} [delay_s] - From the moment of a picture or a sound to its message, in the middle.
 * @property {Object<string, number>} [counts] - What was counted, such as frames, dropped ones, faces.
 */

/**
 * How a sensor is.
 * @typedef {("starting"|"ok"|"degraded"|"lost"|"missing")} SensorStatus
 */

/**
 * A mark on the time line: something to find again later.
 * @typedef {object} SessionMark
 * @property {string} label - What kind of mark, such as `wizard_error`, `note`, `deviation`.
 * @property {string|null} [session] - Id of the session; None where none is under way.
 * @property {string|null} [note] - Free words of whoever made it.
 * @property {string|null} [about] - Id of the message that the mark is about.
 * @property {string|null} [by] - Operator or module that made it, by role and not by name.
 */

/**
 * A phase of the session begins, ends, or is skipped, paused, repeated or aborted.
 * @typedef {object} SessionPhase
 * @property {string} session - Id of the session.
 * @property {string} phase - Name of the phase in the study file.
 * @property {PhaseStatus} status - What happens to it.
 * @property {string|null} [step] - Step within the phase; None: the phase as a whole.
 * @property {string|null} [participant] - Pseudonym of the participant or group.
 * @property {number|null} [planned_s] - How long it is planned to take.
 * @property {string|null} [by] - Operator or module that moved on, by role and not by name.
 */

/**
 * Where the session stands; the condition is not said here.
 * @typedef {object} SessionState
 * @property {string} study - Title of the study.
 * @property {string|null} [session] - Id of the session; None where none is under way.
 * @property {string|null} [participant] - Pseudonym of the participant or group.
 * @property {"simulated"|"rehearsal"|"pilot"|"study"|null} [session_kind] - What sort of session; None where an operator began it by hand.
 * @property {string|null} [language] - Language tag of its forms, which an activity may follow; None where none is under way.
 * @property {Array<StepOfPlan>} [steps] - All steps in order.
 * @property {number|null} [step_began_s] - When the step under way began, on the clock of the run.
 * @property {number|null} [session_began_s] - When the session began, on the clock of the run.
 * @property {boolean} [paused] - Whether the session stands still.
 * @property {number} [deviations] - How many steps were skipped, late, extra or repeated.
 * @property {number} [sessions_done] - How many sessions of this study are complete.
 * @property {number|null} [sessions_planned] - How many are planned.
 * @property {Object<string, string>} [revealed] - What the study file lets operators know, such as `condition`.
 */

/**
 * Show an emotion from now on. Takes one of pad and name.
 * @typedef {object} SetEmotion
 * @property {Pad|null} [pad] - The emotion as pleasure, arousal and dominance.
 * @property {string|null} [name] - The emotion by name, such as `happiness`.
 * @property {number} [blend_s] - How long the change takes.
 */

/**
 * Light the eyes, as when somebody's eyes meet the robot's.
 * @typedef {object} SetEyesLight
 * @property {number} level - How bright, as a part of what the eyes can.
 * @property {string|null} [reason] - Why, such as `mutual gaze with person_1`.
 */

/**
 * Show a facial expression, for a moment or to stay.
 * @typedef {object} SetFace
 * @property {string} face - Name of the expression, such as `joy`; `neutral` lets go of the others.
 * @property {number|null} [hold_s] - How long, fades not counted; None: it stays until the next one.
 * @property {number} [weight] - How much of it.
 * @property {number} [blend_s] - How long it takes to come, and to go.
 */

/**
 * Change how the gaze behaves by itself; stays in force until the next one.
 * @typedef {object} SetGazePolicy
 * @property {string} policy - Name of the policy, such as `random`, `mutual`, `mutual_and_joint`, `speaker`.
 * @property {Object<string, number>} [options] - Weights and intervals that replace those of the policy, by name.
 */

/**
 * Switch or weigh a layer of the animation program. Takes one of active and weight, or both.
 * @typedef {object} SetLayer
 * @property {string} layer - Name of the layer.
 * @property {boolean|null} [active] - On or off; None: as it is.
 * @property {number|null} [weight] - How much it counts in the blend; None: as it is.
 * @property {number|null} [fade_s] - How long the change takes; None: as the program says.
 */

/**
 * Let emotions fade into this from now on. Takes one of pad and name.
 * @typedef {object} SetMood
 * @property {Pad|null} [pad] - The mood as pleasure, arousal and dominance.
 * @property {string|null} [name] - The mood by the name of an emotion, such as `calm`.
 * @property {number} [blend_s] - How long the change takes.
 */

/**
 * Take a posture and stay in it.
 * @typedef {object} SetPosture
 * @property {string} posture - Name of the posture, such as `neutral`.
 * @property {number} [weight] - How much of it, blended with the posture before.
 * @property {number} [blend_s] - How long the change takes.
 */

/**
 * Speak louder or quieter than usual from the next text on.
 * @typedef {object} SetVoiceGain
 * @property {number} gain_db - Decibels on the voice's usual loudness; 0 is as usual. Never louder than undistorted.
 * @property {string|null} [reason] - Why, such as `people speak quietly`.
 */

/**
 * How bad a fault is: a warning lets the work go on, an error lost something.
 * @typedef {("warning"|"error")} Severity
 */

/**
 * Left or right, or both at once; as seen by the character.
 * @typedef {("left"|"right"|"both")} Side
 */

/**
 * How loud it is at each microphone, many times a second.
 * @typedef {object} SoundLevel
 * @property {Array<number>} loudness_dbfs - Loudness at each microphone, relative to full scale, in the order of the device.
 * @property {number|null} [voice] - How likely it is that somebody speaks; None where that is not measured.
 */

/**
 * Say this text, with no gestures; a line with markup is a PerformUtterance.
 * @typedef {object} Speak
 * @property {string} text - What to say, tags already filled in. The robot's own words, so not marked personal: names that are marked elsewhere are replaced in the recording.
 * @property {string|null} [voice] - Voice to use; None: the character's own.
 * @property {string|null} [language] - Language tag such as `en` or `pt-PT`; None: the voice's own.
 * @property {number|null} [volume] - From silent to as loud as the voice can; None: as the voice is set.
 * @property {number} [rate] - Speed, 1 is the voice's own.
 * @property {number} [pitch] - Pitch, 1 is the voice's own.
 * @property {number} [wait_s] - How long the finished sound waits before it is heard, so that a gesture gets ready; SpeechPrepared tells when that begins.
 * @property {Array<SpeechRest>} [rests] - Silence within the text, such as before a sentence whose gesture needs it.
 */

/**
 * Somebody started to speak, or stopped. The robot's own voice never counts.
 * @typedef {object} SpeechActivity
 * @property {boolean} speaking - True when speech begins, False when it ends.
 * @property {string|null} [person] - Who speaks, as the id of a tracker; None where that is unknown.
 * @property {Side|null} [side] - From which microphone of a pair the voice comes.
 * @property {Direction|null} [direction] - Where the voice comes from, seen from the origin of the scenario's space.
 * @property {number|null} [loudness_dbfs] - Loudness of the speech, relative to full scale.
 */

/**
 * The voice is silent again.
 * @typedef {object} SpeechFinished
 * @property {string} speech - Id of its Speak.
 * @property {SpeechOutcome} [outcome] - How it ended.
 * @property {number} duration_s - From the first sound to the last.
 * @property {number} [words] - How many words were heard.
 * @property {number|null} [drift_s] - Measured minus expected duration: how far estimated word times were off at the end.
 * @property {string|null} [problem] - One plain sentence where it failed or was not heard as it should be.
 */

/**
 * What somebody said, as a recogniser understood it.
 * @typedef {object} SpeechHeard
 * @property {string} text - The words, as one line.
 * @property {Array<HeardWord>} [words] - The words one by one with their times, where the recogniser gives them.
 * @property {string|null} [person] - Who spoke, as the id of a tracker; None where that is unknown.
 * @property {number} [confidence] - How sure the recogniser is of the whole.
 * @property {string|null} [language] - Language tag such as `en` or `pt-PT`.
 * @property {boolean} [final] - False for a first guess that a later SpeechHeard will replace.
 */

/**
 * How a speech ended.
 * @typedef {("completed"|"stopped"|"failed")} SpeechOutcome
 */

/**
 * The sound of a speech is made and begins soon; gestures are timed by its words.
 * @typedef {object} SpeechPrepared
 * @property {string} speech - Id of its Speak.
 * @property {number} starts_in_s - How long until its first sound.
 * @property {number} duration_s - From the first sound to the last.
 * @property {Array<WordTime>} [words] - When each word comes, as far as the voice knows or estimates.
 */

/**
 * Silence before a word.
 * @typedef {object} SpeechRest
 * @property {number} offset - Where the word begins in the text, in characters from 0.
 * @property {number} duration_s - How long.
 */

/**
 * The first sound of a speech was heard.
 * @typedef {object} SpeechStarted
 * @property {string} speech - Id of its Speak.
 * @property {string} text - What is being said.
 * @property {string|null} [voice] - Voice that says it.
 * @property {number|null} [expected_duration_s] - How long it will take, where the voice knows.
 * @property {Array<MouthPoint>} [mouth] - How the mouth moves, joined by straight lines; empty where the voice does not know.
 */

/**
 * The voice has reached this word.
 * @typedef {object} SpeechWord
 * @property {string} speech - Id of its Speak.
 * @property {number} index - Counts the words of the speech from 0.
 * @property {string} text - The word.
 * @property {number} start_s - When it begins, from the first sound of the speech.
 * @property {number|null} [offset] - Where it begins in the text, in characters from 0.
 * @property {boolean} [estimated] - True where the voice gives no word times and this one is computed.
 */

/**
 * A step of the session and what became of it.
 * @typedef {object} StepOfPlan
 * @property {string} phase - Phase that it belongs to.
 * @property {string} step - Name of the step.
 * @property {string} title - What the operator reads.
 * @property {"to_come"|"under_way"|"done"|"skipped"|"aborted"} [status] - What became of it.
 * @property {number|null} [planned_s] - How long it is planned to take; late beyond that.
 * @property {string|null} [form] - Questionnaire that the participant fills in during it.
 * @property {number|null} [took_s] - How long it took.
 */

/**
 * Fade an animation out.
 * @typedef {object} StopAnimation
 * @property {string|null} [animation] - Name of the animation; None: every one that is playing.
 * @property {number|null} [fade_s] - How long to fade out; None: as authored.
 */

/**
 * Stop what PlayMedia shows.
 * @typedef {object} StopMedia
 * @property {string|null} [media] - Name of the file; None: everything on the screen.
 * @property {string|null} [screen] - Screen to clear; None: the main one.
 */

/**
 * Be silent.
 * @typedef {object} StopSpeaking
 * @property {string|null} [speech] - Id of the Speak to stop; None: whatever is being said or waits.
 * @property {boolean} [politely] - True: end at the next word; False: be silent at once.
 */

/**
 * Something the body could not do, and what was done in its place.
 * @typedef {object} Substitution
 * @property {string} wanted - Instruction in the line, as written.
 * @property {string|null} [done] - Instruction that was performed; None where there was no fallback.
 * @property {string|null} [why] - One sentence, such as `the body has no arms`.
 */

/**
 * An automatic mind would do this; the operator accepts or rejects it, or lets it lapse.
 * @typedef {object} Suggestion
 * @property {string} action_type - Message type of the Action.
 * @property {Object<string, JsonValue>} action - The Action's own fields; those that its type marks personal are personal here too.
 * @property {Channel|null} [channel] - Channel of the Action.
 * @property {string|null} [reason] - Why, in words for the operator.
 * @property {number} lapses_after_s - How long the operator has; then it is not performed.
 */

/**
 * What became of a suggestion.
 * @typedef {("accepted"|"rejected"|"lapsed")} SuggestionOutcome
 */

/**
 * A suggestion was accepted or rejected by the operator, or it lapsed.
 * @typedef {object} SuggestionResolved
 * @property {string} suggestion - Id of the Suggestion.
 * @property {SuggestionOutcome} outcome - What became of it.
 * @property {string|null} [by] - Operator who resolved it, by role and not by name; None where it lapsed.
 * @property {boolean} [edited] - True where the operator changed the Action before accepting it.
 */

/**
 * A target is gone; a gaze that was on it goes elsewhere.
 * @typedef {object} TargetRemoved
 * @property {string} target - Name of the target.
 */

/**
 * A target exists and is here. Takes one of position, direction, point and alias_of.
 * @typedef {object} TargetUpdated
 * @property {string} target - Name of the target; a new name makes a new target.
 * @property {Position|null} [position] - A place in the scenario's space.
 * @property {Direction|null} [direction] - Angles as the character sees them.
 * @property {ScreenPoint|null} [point] - A place on a screen.
 * @property {string|null} [alias_of] - Another target, which this one follows and whose behaviours it inherits.
 */

/**
 * An utterance was not said, or not to its end.
 * @typedef {object} UtteranceCancelled
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {CancelReason} reason - Why.
 * @property {string|null} [line] - Id of the line; None for free text or where none was chosen.
 * @property {string|null} [detail] - One sentence, such as which rule left no line to choose.
 * @property {number} [words_said] - How many words were heard before it broke off.
 */

/**
 * An utterance was said to its end and its actions are done.
 * @typedef {object} UtteranceFinished
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {string|null} [line] - Id of the line; None for free text.
 * @property {number} duration_s - From its start to its end.
 * @property {Array<Substitution>} [substitutions] - What the body could not do as written.
 */

/**
 * An utterance has begun: its first word or first action.
 * @typedef {object} UtteranceStarted
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {string|null} [line] - Id of the line; None for free text.
 * @property {string|null} [category] - Category of the line.
 * @property {string} [text] - What will be said, without markup and with the tags filled in.
 * @property {boolean} [question] - Whether the line asks something, so that the character will wait for an answer.
 * @property {LineChoice|null} [choice] - Why this line was chosen.
 */

/**
 * A line that waits for its turn.
 * @typedef {object} WaitingLine
 * @property {string} utterance - Id of its PerformUtterance.
 * @property {string} source - Module that ordered it.
 * @property {number} [priority] - Higher goes first.
 * @property {string} [text] - What will be said, without markup and with the tags filled in.
 * @property {string|null} [line] - Id of the line; None for free text.
 * @property {string|null} [category] - Category of the line.
 * @property {boolean} [held] - Whether somebody holds it back.
 */

/**
 * Publish BlendReport for a while: who moves which channel.
 * @typedef {object} WatchBlend
 * @property {number} [for_s] - How long.
 * @property {number} [every_s] - How often.
 */

/**
 * When a word of a speech will be heard.
 * @typedef {object} WordTime
 * @property {number} offset - Where it begins in the text, in characters from 0.
 * @property {number} start_s - From the first sound of the speech.
 */

/**
 * The data of each message type, by the name of the type.
 * @typedef {object} MessageData
 * @property {ActionExpired} ActionExpired
 * @property {ActivityCommand} ActivityCommand
 * @property {ActivityEvent} ActivityEvent
 * @property {AnimationFinished} AnimationFinished
 * @property {ArrangeUtterance} ArrangeUtterance
 * @property {Autonomy} Autonomy
 * @property {AutonomyChanged} AutonomyChanged
 * @property {BehaviourState} BehaviourState
 * @property {BlendReport} BlendReport
 * @property {BodyState} BodyState
 * @property {CancelUtterance} CancelUtterance
 * @property {Clicked} Clicked
 * @property {ClockOffset} ClockOffset
 * @property {ClockProbe} ClockProbe
 * @property {ClockReply} ClockReply
 * @property {ConditionAssigned} ConditionAssigned
 * @property {DialogueMoved} DialogueMoved
 * @property {EmergencyRelease} EmergencyRelease
 * @property {EmergencyStop} EmergencyStop
 * @property {EmotionState} EmotionState
 * @property {EngagementChanged} EngagementChanged
 * @property {EngineState} EngineState
 * @property {FormOffered} FormOffered
 * @property {Gaze} Gaze
 * @property {GazeAt} GazeAt
 * @property {GazeState} GazeState
 * @property {Glance} Glance
 * @property {GuideSession} GuideSession
 * @property {HandMoved} HandMoved
 * @property {Handled} Handled
 * @property {HeadDirection} HeadDirection
 * @property {Highlight} Highlight
 * @property {HoldJoints} HoldJoints
 * @property {JointFrame} JointFrame
 * @property {KeyPressed} KeyPressed
 * @property {LibraryLoaded} LibraryLoaded
 * @property {MarkerLost} MarkerLost
 * @property {MarkerMoved} MarkerMoved
 * @property {MarkerSeen} MarkerSeen
 * @property {MediaFinished} MediaFinished
 * @property {ModuleCounters} ModuleCounters
 * @property {ModuleFault} ModuleFault
 * @property {ModulePresence} ModulePresence
 * @property {MoveHand} MoveHand
 * @property {OperatorDecided} OperatorDecided
 * @property {OperatorsPresent} OperatorsPresent
 * @property {OrderConflict} OrderConflict
 * @property {PeopleState} PeopleState
 * @property {PerformUtterance} PerformUtterance
 * @property {PersonDetected} PersonDetected
 * @property {PersonLost} PersonLost
 * @property {PersonMoved} PersonMoved
 * @property {PlayAnimation} PlayAnimation
 * @property {PlayMedia} PlayMedia
 * @property {Point} Point
 * @property {PointAt} PointAt
 * @property {PreflightReport} PreflightReport
 * @property {QuestionAnswered} QuestionAnswered
 * @property {QuestionAsked} QuestionAsked
 * @property {QuestionnaireAnswered} QuestionnaireAnswered
 * @property {Receipt} Receipt
 * @property {RetimeAnimation} RetimeAnimation
 * @property {RunEnding} RunEnding
 * @property {SensorState} SensorState
 * @property {SessionMark} SessionMark
 * @property {SessionPhase} SessionPhase
 * @property {SessionState} SessionState
 * @property {SetEmotion} SetEmotion
 * @property {SetEyesLight} SetEyesLight
 * @property {SetFace} SetFace
 * @property {SetGazePolicy} SetGazePolicy
 * @property {SetLayer} SetLayer
 * @property {SetMood} SetMood
 * @property {SetPosture} SetPosture
 * @property {SetVoiceGain} SetVoiceGain
 * @property {SoundLevel} SoundLevel
 * @property {Speak} Speak
 * @property {SpeechActivity} SpeechActivity
 * @property {SpeechFinished} SpeechFinished
 * @property {SpeechHeard} SpeechHeard
 * @property {SpeechPrepared} SpeechPrepared
 * @property {SpeechStarted} SpeechStarted
 * @property {SpeechWord} SpeechWord
 * @property {StopAnimation} StopAnimation
 * @property {StopMedia} StopMedia
 * @property {StopSpeaking} StopSpeaking
 * @property {Suggestion} Suggestion
 * @property {SuggestionResolved} SuggestionResolved
 * @property {TargetRemoved} TargetRemoved
 * @property {TargetUpdated} TargetUpdated
 * @property {UtteranceCancelled} UtteranceCancelled
 * @property {UtteranceFinished} UtteranceFinished
 * @property {UtteranceStarted} UtteranceStarted
 * @property {WatchBlend} WatchBlend
 */
