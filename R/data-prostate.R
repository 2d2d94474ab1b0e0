#' Patients with prostate cancer
#'
#' Data of 502 patients with prostate cancer of stage 3 or 4, who took part in a randomised trial of
#' diethylstilbestrol, an oestrogen. They have numbers, counts, ordered and unordered categories
#' side by side, and 27 missing entries. Valera et al. (2020) explore these data by latent features.
#'
#' @format A data frame with a row per patient and 16 columns:
#' \describe{
#'   \item{stage}{Stage of the disease: factor `"3"` (289 patients) or `"4"` (213).}
#'   \item{rx}{Daily dose of oestrogen: ordered, `"0 mg"` < `"1 mg"` < `"5 mg"`. The 251 patients of
#'     `"0 mg"` had a placebo or 0.2 mg.}
#'   \item{dtime}{Months of follow-up: integer from 0 to 76.}
#'   \item{status}{State at the end of the follow-up: factor `"alive"`, or died of `"vascular"`
#'     disease, `"prostatic ca"` (prostate cancer) or `"others"` (other causes).}
#'   \item{age}{Age in years: integer from 48 to 89; 1 missing.}
#'   \item{wt}{Weight index, weight in kg minus height in cm plus 200: integer from 69 to 152; 2
#'     missing.}
#'   \item{pf}{Performance, how active the patient is: ordered, `"confined to bed"` <
#'     `"in bed more than half daytime"` < `"in bed less than half daytime"` < `"normal activity"`.}
#'   \item{hx}{History of cardiovascular disease: factor `"no"` or `"yes"`.}
#'   \item{sbp}{Systolic blood pressure in cm of mercury (a tenth of the value in mmHg): integer
#'     from 8 to 30.}
#'   \item{dbp}{Diastolic blood pressure in the same unit: integer from 4 to 18.}
#'   \item{ekg}{Electrocardiogram: factor `"normal"`, `"benign"`,
#'     `"rhythmic disturb & electrolyte ch"` (disturbed rhythm and electrolyte changes),
#'     `"heart block or conduction def"` (heart block or conduction defects), `"heart strain"`,
#'     `"old MI"` or `"recent MI"` (myocardial infarction); 8 missing.}
#'   \item{hg}{Serum haemoglobin in g per 100 ml: number from 5.9 to 21.2.}
#'   \item{sz}{Size of the primary tumour in square cm: integer from 0 to 69; 5 missing.}
#'   \item{sg}{Combined index of stage and histological grade: integer from 5 to 15; 11 missing.}
#'   \item{ap}{Serum prostatic acid phosphatase in King-Armstrong units: number from 0.1 to 999.9.}
#'   \item{bm}{Bone metastases: factor `"no"` or `"yes"`.}
#' }
#' The attribute `"labels"` is a named character vector with a short description of each column.
#' @source Byar, D. P. and Green, S. B. (1980). The choice of treatment for cancer patients based on
#'   covariate information: application to prostate cancer. *Bulletin du Cancer* 67, 477-490.
#'
#'   Andrews, D. F. and Herzberg, A. M. (1985). *Data: a collection of problems from many fields for
#'   the student and research worker.* Springer, 261-274.
#' @references
#' Valera, I., Pradier, M. F., Lomeli, M. and Ghahramani, Z. (2020). General latent feature models
#' for heterogeneous datasets. *Journal of Machine Learning Research* 21(100), 1-49.
#' @seealso [fit_mixed()]; `vignette("data-frames")` explores these data.
#' @examples
#' attr(prostate, "labels")
#' summary(prostate)
#' # what became of the patients, by the dose of oestrogen
#' table(prostate$status, prostate$rx)
"prostate"
